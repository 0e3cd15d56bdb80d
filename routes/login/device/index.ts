import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { forAccount } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { Done, Ok } from '../../../schemas/common.js'
import { DeviceCode, DeviceCodes, DeviceDecision, DeviceRequest, pollStep, UserCode, WaitingDevice } from '../../../schemas/device.js'
import { SignedIn } from '../../../schemas/identity.js'
import { callerOf } from '../../../src/http/addresses.js'
import { done, ok } from '../../../src/http/reply.js'
import { optionalBody } from '../../../src/http/requests.js'
import { deviceLoginsOf } from '../../../src/identity/device-logins.js'
import { timestamp } from '../../../src/time.js'

const tags = ['Identity']

const codesSchema = {
  summary: 'Get codes for a device without a keyboard',
  description:
    'The device shows `user_code` and the address of a page, and polls POST /login/device/token until a user has approved it on that page. Returns 404 unless the operator has set `DEVICE_URL`. An IP address can get 1,000 codes in 15 minutes.',
  tags,
  body: DeviceRequest,
  response: answers(Ok(DeviceCodes), 413)
}
const tokenSchema = {
  summary: 'Sign in with the code of a device',
  description: `Poll every \`interval\` seconds. Until a user has decided, returns 400 with \`error: "authorization_pending"\`. \`slow_down\`: the device polled too soon, whatever the user has decided; add ${pollStep} seconds to the interval. \`access_denied\`: the user refused. \`expired_token\`: get new codes. An approved code signs in once, with the response of POST /login.`,
  tags,
  body: DeviceCode,
  response: answers(Ok(SignedIn), 413)
}

const wrongCodes =
  'Wrong codes are limited to `LOGIN_LIMIT` per user in 15 minutes, ten times as many per address, and a thousand times as many in total.'

const ofAccount = { tags, security: [{ bearer: [] }], params: Type.Object({ userCode: UserCode }) }

const getSchema = {
  ...ofAccount,
  summary: 'Get a device waiting for approval',
  description: wrongCodes,
  response: answers(Ok(WaitingDevice), 401, 403, 404)
}
const decideSchema = {
  ...ofAccount,
  summary: 'Approve or deny a device',
  description: `An approved device is signed in as the profile that approves it. The first decision counts, and the same user may repeat it. ${wrongCodes} Returns 401 if the session of the request has ended.`,
  body: DeviceDecision,
  response: answers(Done, 401, 403, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const deviceLogins = deviceLoginsOf(app.data, app.settings)
  const callerFrom = (request: FastifyRequest) => ({ viewer: app.viewerOf(request), address: callerOf(request.ip) })

  const options = { schema: codesSchema, config: { admission: 'public' }, preValidation: optionalBody } as const
  app.post('', options, async function getDeviceCodes({ body, ip }) {
    return ok(await deviceLogins.issue(body.device || null, callerOf(ip)))
  })

  // Every run counts as an attempt, so the request must not be repeated.
  const config = { ...forAccount.config, isRepeatable: false }
  app.get('/:userCode', { schema: getSchema, ...forAccount, config }, async function getWaitingDevice(request) {
    const { device, created_at } = await deviceLogins.findWaiting(request.params.userCode, callerFrom(request))
    return ok({ device, created_at: timestamp(created_at) })
  })

  app.post('/:userCode', { schema: decideSchema, ...forAccount }, async function decideOnDevice(request) {
    const { userCode } = request.params
    if (request.body.approve) {
      await deviceLogins.approve(userCode, callerFrom(request))
      return done(200, 'The device was approved')
    }
    await deviceLogins.deny(userCode, callerFrom(request))
    return done(200, 'The device was denied')
  })

  app.post('/token', { schema: tokenSchema, config: { admission: 'public' } }, async function signInDevice({ body }) {
    const { user, session } = await deviceLogins.redeem(body.device_code)
    return ok(app.signedIn(user, session))
  })
}
export default route
