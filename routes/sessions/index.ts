import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { forAccount } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { SessionId } from '../../schemas/path-ids.js'
import { Session } from '../../schemas/session.js'
import { done, ok } from '../../src/http/reply.js'
import { toSession } from '../../src/identity/session-document.js'
import { sessionsPerUser } from '../../src/identity/session-ends.js'
import type { Viewer } from '../../src/identity/tokens.js'

const shared = { tags: ['Identity'], security: [{ bearer: [] }] }

const listSchema = {
  ...shared,
  summary: 'List where the user is signed in',
  description: `At most ${sessionsPerUser} sessions of the account and all its profiles, most recently used first. Only a login and a refresh count as use.`,
  response: answers(Ok(Type.Array(Session), 'SessionListAnswer'), 401, 403)
}
const endAllSchema = {
  ...shared,
  summary: 'Sign out everywhere',
  description:
    'Ends all sessions of the account, or with `others` all except that of the request: their refresh tokens at once, their access tokens within 2 seconds. Returns 401 if the session of the request has ended.',
  querystring: Type.Object({
    others: Type.Boolean({ default: false, description: 'Ends only the other sessions, not that of this request' })
  }),
  response: answers(Done, 401, 403, 413)
}
const endSchema = {
  ...shared,
  summary: 'Sign out a device',
  description:
    'Ends one session of the account: its refresh token at once, its access tokens within 2 seconds. Returns 404 if it has ended or expired, and 401 if the session of the request has ended.',
  params: Type.Object({ sessionId: SessionId }),
  response: answers(Done, 401, 403, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { sessions } = app.data

  const livingViewer = async (request: FastifyRequest) => {
    // The service's own tokens always name a session, and these routes exist only with them.
    const viewer = app.viewerOf(request) as Required<Viewer>
    await sessions.livingOrThrow(viewer.account, viewer.sid)
    return viewer
  }

  app.get('', { schema: listSchema, ...forAccount }, async function listSessions(request) {
    const { account, sid } = app.viewerOf(request)
    const list = await sessions.list(account)
    return ok(list.map(session => ({ ...toSession(session), current: session._id === sid })))
  })

  app.delete('', { schema: endAllSchema, ...forAccount }, async function endSessions(request) {
    const { account, sid } = await livingViewer(request)
    await sessions.endAll(account, request.query.others ? sid : undefined)
    return done(200, 'The sessions were ended')
  })

  app.delete('/:sessionId', { schema: endSchema, ...forAccount }, async function endSession(request) {
    const { account } = await livingViewer(request)
    await sessions.endById(account, request.params.sessionId)
    return done(200, 'The session was ended')
  })
}
export default route
