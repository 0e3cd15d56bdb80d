import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forAccount } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { Done } from '../../../schemas/common.js'
import { SessionId } from '../../../schemas/path-ids.js'
import { done } from '../../../src/http/reply.js'
import type { Viewer } from '../../../src/identity/tokens.js'

const schema = {
  summary: 'Sign out a device',
  description: 'Ends one session of the user: its refresh token at once, its access tokens within 2 seconds.',
  tags: ['Identity'],
  security: [{ bearer: [] }],
  params: Type.Object({ sessionId: SessionId }),
  response: answers(Done, 401, 403, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { sessions } = app.data

  app.delete('', { schema, ...forAccount }, async function endSession(request) {
    const { account, sid } = app.viewerOf(request) as Required<Viewer>
    await sessions.livingOrThrow(account, sid)
    await sessions.endById(account, request.params.sessionId)
    return done(200, 'The session was ended')
  })
}
export default route
