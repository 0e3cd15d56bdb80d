import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { User } from '../../schemas/identity.js'
import { toUser } from '../../src/data/users.js'
import { unauthenticated } from '../../src/errors.js'
import { ok } from '../../src/http/reply.js'

const schema = {
  summary: 'Get the signed-in user',
  description: 'Users of an identity provider may have an empty `email` and `name`.',
  tags: ['Identity'],
  security: [{ bearer: [] }],
  response: answers(Ok(User), 401)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { users } = app.data

  app.get('', { schema, ...forViewers }, async function getMe(request) {
    const user = await users.byId(app.viewerOf(request).id)
    if (!user) throw unauthenticated()
    return ok(toUser(user))
  })
}
export default route
