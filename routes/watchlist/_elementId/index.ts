import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { Done, Ok } from '../../../schemas/common.js'
import { HistoryElement } from '../../../schemas/history.js'
import { HistoryId, IntegerId } from '../../../schemas/path-ids.js'
import { done } from '../../../src/http/reply.js'
import { historyElementBytes } from '../../../src/viewing/viewer-bytes.js'

const security = [{ bearer: [] }]

const getSchema = {
  summary: 'Get a history element',
  description: 'Despite its path, this returns a history element, as in the specification. Use an id of GET /history.',
  tags: ['History'],
  security,
  params: Type.Object({ elementId: HistoryId }),
  response: answers(Ok(HistoryElement), 401, 403, 404)
}
const deleteSchema = {
  summary: 'Remove a watchlist element',
  description: 'Use the `id` of the element, not the id of its content.',
  tags: ['Watchlist'],
  security,
  params: Type.Object({ elementId: IntegerId('Id of the watchlist element', 1) }),
  response: answers(Done, 401, 403, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { history, watchlist } = app.data

  app.get('', { schema: getSchema, ...forViewers }, async function getWatchedVideo(request, reply) {
    const element = await history.byId(app.viewerOf(request).id, request.params.elementId)
    return reply.json(await historyElementBytes(catalogue, element, app.audienceOf(request)))
  })

  app.delete('', { schema: deleteSchema, ...forViewers }, async function deleteWatchlistElement(request) {
    const isSuited = catalogue.suitedTo(app.audienceOf(request))
    await watchlist.remove(app.viewerOf(request).id, request.params.elementId, isSuited)
    return done(200, 'The watchlist element was removed')
  })
}
export default route
