import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { answers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { Credentials, SignedIn } from '../../schemas/identity.js'
import { loginWindowMinutes } from '../../src/data/login-attempts.js'
import { sessionsPerUser } from '../../src/data/sessions.js'
import { callerOf } from '../../src/http/addresses.js'
import { ok } from '../../src/http/reply.js'

const schema = {
  summary: 'Sign in',
  description: `A wrong e-mail, a wrong password and a disabled user get the same 401. The number of failed logins in ${loginWindowMinutes} minutes is limited. A user has at most ${sessionsPerUser} sessions: one more login ends the session that was unused the longest.`,
  tags: ['Identity'],
  body: Credentials,
  response: answers(Ok(SignedIn), 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { sessions } = app.data

  app.post('', { schema, config: { admission: 'login' } }, async function logIn({ body, ip }) {
    const user = await app.passwordChecks.ofEmail(body.email, body.password, callerOf(ip))
    return ok(app.signedIn(user, await sessions.begin(user._id)))
  })
}
export default route
