import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forAccountAmongLogins, forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { PasswordConfirmation, User } from '../../schemas/identity.js'
import { toUser } from '../../src/data/users.js'
import { unauthenticated, unknownPath } from '../../src/errors.js'
import { callerOf } from '../../src/http/addresses.js'
import { done, ok } from '../../src/http/reply.js'
import { hasProvider } from '../../src/identity/secrets.js'
import { erase } from '../../src/privacy/erase.js'

const getSchema = {
  summary: 'Get the signed-in user',
  description: 'Users of an identity provider may have an empty `email` and `name`.',
  tags: ['Account'],
  security: [{ bearer: [] }],
  response: answers(Ok(User), 401)
}
const deleteSchema = {
  summary: 'Erase the user',
  description:
    'Erases the account with all its profiles, whichever of them asks, and everything that is stored about them. Ends their sessions: within 2 seconds, their tokens get a 401. The password is that of the account. A wrong one counts as a failed login.',
  tags: ['Account'],
  security: [{ bearer: [] }],
  body: PasswordConfirmation,
  response: answers(Done, 401, 403, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { data, passwordChecks } = app

  app.get('', { schema: getSchema, ...forViewers }, async function getMe(request) {
    const user = await data.users.byId(app.viewerOf(request).id)
    if (!user) throw unauthenticated()
    return ok(toUser(user))
  })

  if (hasProvider(app.settings)) {
    // With a provider, people erase their accounts there, and such endpoints are a 404. Without this route, DELETE would be a 405.
    app.delete('', { schema: { hide: true }, config: { admission: 'public' } }, function refuseErasure() {
      throw unknownPath()
    })
    return
  }

  app.delete('', { schema: deleteSchema, ...forAccountAmongLogins }, async function eraseMe(request) {
    const { account } = app.viewerOf(request)
    await passwordChecks.confirmPassword(account, request.body.password, callerOf(request.ip))
    await erase(app, account)
    return done(200, 'The user was erased')
  })
}
export default route
