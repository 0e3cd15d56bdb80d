import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { answers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { Credentials, SignedIn } from '../../schemas/identity.js'
import { callerOf } from '../../src/addresses.js'
import { authenticatorOf } from '../../src/login.js'
import { ok } from '../../src/reply.js'

const schema = {
  summary: 'Sign in',
  description: 'A wrong e-mail, a wrong password and a disabled user give the same 401. Failed logins are limited for 15 minutes.',
  tags: ['Identity'],
  body: Credentials,
  response: answers(Ok(SignedIn), 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { data } = app
  const authenticate = authenticatorOf(data)

  app.post('', { schema, config: { admission: 'login' } }, async function logIn({ body, ip }) {
    const user = await authenticate(body.email, body.password, callerOf(ip))
    return ok(app.signedIn(user, await data.sessions.begin(user._id)))
  })
}
export default route
