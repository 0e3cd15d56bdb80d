import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { answers } from '../../../schemas/answers.js'
import { Ok } from '../../../schemas/common.js'
import { RefreshToken, SignedIn } from '../../../schemas/identity.js'
import { found, unauthenticated } from '../../../src/errors.js'
import { ok } from '../../../src/http/reply.js'

const schema = {
  summary: 'A new pair of tokens for a refresh token',
  description:
    'A refresh token serves once. One that was spent a while ago ends its session when it comes again: it was stolen or kept by mistake.',
  tags: ['Identity'],
  body: RefreshToken,
  response: answers(Ok(SignedIn), 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { sessions, users } = app.data

  app.post('', { schema, config: { admission: 'public' } }, async function refresh({ body }) {
    const session = found(await sessions.renew(body.refresh_token), unauthenticated)
    const user = await users.byId(session.user_id)
    if (!user || user.disabled_at) throw unauthenticated()
    return ok(app.signedIn(user, session))
  })
}
export default route
