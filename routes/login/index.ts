import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { answers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { Credentials, SignedIn } from '../../schemas/identity.js'
import { loginWindowMinutes } from '../../src/data/login-attempts.js'
import { sessionsPerUser } from '../../src/data/sessions.js'
import { callerOf } from '../../src/http/addresses.js'
import { ok } from '../../src/http/reply.js'
import { authenticatorOf } from '../../src/identity/login.js'

const schema = {
  summary: 'Sign in',
  description: `A wrong e-mail, a wrong password and a disabled user get the same 401. The number of failed logins in ${loginWindowMinutes} minutes is limited. A user has at most ${sessionsPerUser} sessions: one more login ends the session that was unused the longest.`,
  tags: ['Identity'],
  body: Credentials,
  response: answers(Ok(SignedIn), 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { data, settings, log } = app
  const authenticate = authenticatorOf(data, settings, user =>
    log.warn({ user }, `the password of user ${user} cannot be checked: the stored hash is invalid, or too expensive`)
  )

  app.post('', { schema, config: { admission: 'login' } }, async function logIn({ body, ip }) {
    const user = await authenticate(body.email, body.password, callerOf(ip))
    return ok(app.signedIn(user, await data.sessions.begin(user._id)))
  })
}
export default route
