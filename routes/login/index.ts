import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { answers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { Credentials, SignedIn } from '../../schemas/identity.js'
import { orThrow, unauthenticated } from '../../src/errors.js'
import { callerOf } from '../../src/http/addresses.js'
import { ok } from '../../src/http/reply.js'
import { loginWindowMinutes } from '../../src/identity/attempts.js'
import { sessionsPerUser } from '../../src/identity/session-ends.js'

const schema = {
  summary: 'Sign in',
  description: `A wrong e-mail address, a wrong password and a disabled user return the same 401, after the same time. The case of e-mail addresses does not matter. \`LOGIN_LIMIT\` limits the failed logins in ${loginWindowMinutes} minutes: beyond it, even the right password returns a 429. An account has at most ${sessionsPerUser} sessions: beyond that, a login ends the least recently used one.`,
  tags: ['Identity'],
  body: Credentials,
  response: answers(Ok(SignedIn), 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { sessions, users } = app.data

  app.post('', { schema, config: { admission: 'login' } }, async function logIn({ body, ip }) {
    const user = await app.passwordChecks.authenticate(body.email, body.password, callerOf(ip))
    const confirm = async () => ((await users.maySignIn(user)) ? user : undefined)
    const { session } = orThrow(await sessions.begin(user, body.device || null, confirm), unauthenticated)
    return ok(app.signedIn(user, session))
  })
}
export default route
