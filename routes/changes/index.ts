import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Changes, ChangesQuery } from '../../schemas/changes.js'
import { Ok } from '../../schemas/common.js'
import { ok } from '../../src/http/reply.js'
import { changesPage } from '../../src/sync/index.js'

const schema = {
  summary: 'List what has changed',
  description:
    'For apps that keep a copy of the history, the watchlist, the hidden titles, the ratings and the preferences. Begin without `since`, then send the `cursor` of the last response: immediately while `more` is true, then from time to time. An app that follows the cursors misses nothing, but may get a change twice. Apply the removals first. If `reset` is true, discard the copy before you apply the response.',
  tags: ['Changes'],
  security: [{ bearer: [] }],
  querystring: ChangesQuery,
  response: answers(Ok(Changes), 401)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data } = app

  app.get('', { schema, ...forViewers }, async function listChanges(request) {
    const { since, perPage } = request.query
    const { id: user } = app.viewerOf(request)
    const audience = app.audienceOf(request)
    const restoredAt = app.revocations.restoredAt
    return ok(await changesPage({ catalogue, data }, { user, audience, since, perPage, restoredAt }))
  })
}
export default route
