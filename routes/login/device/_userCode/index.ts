import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { forAccount } from '../../../../plugins/authentication.js'
import { answers } from '../../../../schemas/answers.js'
import { Done, Ok } from '../../../../schemas/common.js'
import { DeviceDecision, UserCode, WaitingDevice } from '../../../../schemas/device.js'
import { callerOf } from '../../../../src/http/addresses.js'
import { done, ok } from '../../../../src/http/reply.js'
import { deviceLoginsOf } from '../../../../src/identity/device-logins.js'
import { timestamp } from '../../../../src/time.js'

const common = { tags: ['Identity'], security: [{ bearer: [] }], params: Type.Object({ userCode: UserCode }) }

const getSchema = {
  ...common,
  summary: 'Get a device that waits for approval',
  description: 'Wrong codes are limited like failed logins.',
  response: answers(Ok(WaitingDevice), 401, 403, 404)
}
const postSchema = {
  ...common,
  summary: 'Approve or deny a device',
  description:
    'An approved device is signed in as the profile that approves it. The first decision counts. Wrong codes are limited like failed logins.',
  body: DeviceDecision,
  response: answers(Done, 401, 403, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const deviceLogins = deviceLoginsOf(app.data, app.settings)
  const callerFrom = (request: FastifyRequest) => ({ viewer: app.viewerOf(request), address: callerOf(request.ip) })

  // Each run counts an attempt, so it must not be repeated.
  const config = { ...forAccount.config, isRepeatable: false }
  app.get('', { schema: getSchema, ...forAccount, config }, async function getWaitingDevice(request) {
    const { device, created_at } = await deviceLogins.findWaiting(request.params.userCode, callerFrom(request))
    return ok({ device, created_at: timestamp(created_at) })
  })

  app.post('', { schema: postSchema, ...forAccount }, async function decideOnDevice(request) {
    const { userCode } = request.params
    if (request.body.approve) {
      await deviceLogins.approve(userCode, callerFrom(request))
      return done(200, 'The device was approved')
    }
    await deviceLogins.deny(userCode, callerFrom(request))
    return done(200, 'The device was denied')
  })
}
export default route
