import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done } from '../../schemas/common.js'
import { done } from '../../src/http/reply.js'

const schema = {
  summary: 'Sign out',
  description: 'Ends the session: its refresh token at once, its access tokens within 2 seconds in every process.',
  tags: ['Identity'],
  security: [{ bearer: [] }],
  response: answers(Done, 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { sessions } = app.data

  app.post('', { schema, ...forViewers }, async function logOut(request) {
    const { account, sid } = app.viewerOf(request)
    // This route exists only with the service's own tokens, which have a session.
    await sessions.logOut(account, sid as string)
    return done(200, 'Logged out')
  })
}
export default route
