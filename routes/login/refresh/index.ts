import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { answers } from '../../../schemas/answers.js'
import { Ok } from '../../../schemas/common.js'
import { RefreshToken, SignedIn } from '../../../schemas/identity.js'
import { unauthenticated } from '../../../src/errors.js'
import { ok } from '../../../src/http/reply.js'
import { isOfEpoch } from '../../../src/identity/session-document.js'

const schema = {
  summary: 'Get a new pair of tokens',
  description:
    'A refresh token can be used once. If it is used again more than `REFRESH_GRACE` seconds later, its session ends, because it may have been stolen. Within that time, the second use is refused, but the session continues.',
  tags: ['Identity'],
  body: RefreshToken,
  response: answers(Ok(SignedIn), 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { sessions, users } = app.data

  app.post('', { schema, config: { admission: 'public' } }, async function refresh({ body }) {
    const session = await sessions.renew(body.refresh_token)
    if (!session) throw unauthenticated()
    const user = await users.ofSession(session)
    if (!user || !isOfEpoch(session, user.account)) throw unauthenticated()
    return ok(app.signedIn(user.profile, session))
  })
}
export default route
