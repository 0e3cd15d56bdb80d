import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { answers } from '../../../../schemas/answers.js'
import { Ok } from '../../../../schemas/common.js'
import { DeviceCode } from '../../../../schemas/device.js'
import { SignedIn } from '../../../../schemas/identity.js'
import { ok } from '../../../../src/http/reply.js'
import { deviceLoginsOf } from '../../../../src/identity/device-logins.js'

const schema = {
  summary: 'Sign in with the code of a device',
  description:
    'Poll every `interval` seconds. Until a user has decided, it returns a 400 with `error: "authorization_pending"`. `slow_down`: the request came too early, wait 5 seconds longer from now on. `access_denied`: the user refused. `expired_token`: get new codes. Once approved, a code signs in once.',
  tags: ['Identity'],
  body: DeviceCode,
  response: answers(Ok(SignedIn), 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const deviceLogins = deviceLoginsOf(app.data, app.settings)

  app.post('', { schema, config: { admission: 'public' } }, async function signInDevice({ body }) {
    const { user, session } = await deviceLogins.redeem(body.device_code)
    return ok(app.signedIn(user, session))
  })
}
export default route
