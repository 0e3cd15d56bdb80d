import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forAccount } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { Session } from '../../schemas/session.js'
import { toSession } from '../../src/data/session-document.js'
import { sessionsPerUser } from '../../src/data/session-ends.js'
import { done, ok } from '../../src/http/reply.js'
import type { Viewer } from '../../src/identity/tokens.js'

const tags = ['Identity']
const security = [{ bearer: [] }]

const listSchema = {
  summary: 'List where the user is signed in',
  description: `At most ${sessionsPerUser} sessions, most recently used first.`,
  tags,
  security,
  response: answers(Ok(Type.Array(Session), 'SessionListAnswer'), 401, 403)
}
const deleteSchema = {
  summary: 'Sign out everywhere',
  description: 'Ends all sessions of the user: their refresh tokens at once, their access tokens within 2 seconds.',
  tags,
  security,
  querystring: Type.Object({
    others: Type.Boolean({ default: false, description: 'Ends only the other sessions, not that of this request' })
  }),
  response: answers(Done, 401, 403, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { sessions } = app.data

  app.get('', { schema: listSchema, ...forAccount }, async function listSessions(request) {
    const { account, sid } = app.viewerOf(request)
    const list = await sessions.list(account)
    return ok(list.map(session => ({ ...toSession(session), current: session._id === sid })))
  })

  app.delete('', { schema: deleteSchema, ...forAccount }, async function endSessions(request) {
    // The service's own tokens always name a session, and this route exists only with them.
    const { account, sid } = app.viewerOf(request) as Required<Viewer>
    await sessions.livingOrThrow(account, sid)
    await sessions.endAll(account, request.query.others ? sid : undefined)
    return done(200, 'The sessions were ended')
  })
}
export default route
