import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { answers } from '../../schemas/answers.js'
import { Done } from '../../schemas/common.js'
import { done } from '../../src/http/reply.js'

const schema = {
  summary: 'Sign out',
  description: 'Revokes the refresh tokens of the session; the access token itself lives to its end.',
  tags: ['Identity'],
  security: [{ bearer: [] }],
  response: answers(Done, 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { sessions } = app.data

  const guarded = { onRequest: app.tokenRequired, config: { admission: 'viewer' } } as const

  app.post('', { schema, ...guarded }, async function logOut(request) {
    const { id, sid } = app.viewerOf(request)
    // The route is there only with tokens of our own, which have one.
    await sessions.end(id, sid as string)
    return done(200, 'Logged out')
  })
}
export default route
