import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers, createdAnswers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { HistoryElement } from '../../schemas/history.js'
import { Page } from '../../schemas/page.js'
import { HistoryId, IntegerId } from '../../schemas/path-ids.js'
import { WatchlistAddition, WatchlistElement, WatchlistQuery } from '../../schemas/watchlist.js'
import { contentIdMissing, givenContentNotFound, orThrow } from '../../src/errors.js'
import { done, pageMeta } from '../../src/http/reply.js'
import { refuseMissingContentId } from '../../src/http/requests.js'
import { historyElementBytes, watchlistPageBytes } from '../../src/viewing/viewer-bytes.js'

const shared = { tags: ['Watchlist'], security: [{ bearer: [] }] }

const listSchema = {
  ...shared,
  summary: 'List what the user has saved for later',
  description: 'Most recently added first.',
  querystring: WatchlistQuery,
  response: answers(Page(WatchlistElement), 401)
}
const postSchema = {
  ...shared,
  summary: 'Save an item for later',
  description: 'Saving an item again changes nothing, and also returns 201.',
  body: WatchlistAddition,
  response: createdAnswers(Done, 401, 413)
}
const clearSchema = {
  ...shared,
  summary: 'Empty the watchlist',
  description: 'Removes all of its elements.',
  response: answers(Done, 401, 413)
}
const getSchema = {
  ...shared,
  summary: 'Get a history element',
  description: 'Despite its path, this returns a history element, as the specification requires. Use an id from GET /history.',
  tags: ['History'],
  params: Type.Object({ elementId: HistoryId }),
  response: answers(Ok(HistoryElement), 401, 403, 404)
}
const deleteSchema = {
  ...shared,
  summary: 'Remove a watchlist element',
  description: 'Use the `id` of the element, not its `content_id`.',
  params: Type.Object({ elementId: IntegerId('Id of the watchlist element', 1) }),
  response: answers(Done, 401, 403, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { history, watchlist } = app.data

  app.get('', { schema: listSchema, ...forViewers }, async function listWatchlist(request, reply) {
    const { query } = request
    const isShown = catalogue.ageFilterFor(app.audienceOf(request))
    const storedIds = query.content_id?.flatMap(id => catalogue.skeleton.idsOf(id))
    const { elements, total } = await watchlist.list(app.viewerOf(request).id, { ...query, content_id: storedIds }, isShown)
    return reply.json(await watchlistPageBytes(catalogue, elements, pageMeta(query, total)))
  })

  app.post(
    '',
    { schema: postSchema, ...forViewers, preValidation: refuseMissingContentId(contentIdMissing) },
    async function addToWatchlist(request, reply) {
      const content_id = orThrow(catalogue.availableId(request.body.content_id, app.audienceOf(request)), givenContentNotFound)
      await watchlist.add(app.viewerOf(request).id, content_id)
      reply.code(201)
      return done(201, 'The content was added to the watchlist')
    }
  )

  app.delete('', { schema: clearSchema, ...forViewers }, async function clearWatchlist(request) {
    await watchlist.removeAll(app.viewerOf(request).id)
    return done(200, 'The watchlist was emptied')
  })

  app.get('/:elementId', { schema: getSchema, ...forViewers }, async function getWatchedVideo(request, reply) {
    const element = await history.byId(app.viewerOf(request).id, request.params.elementId)
    return reply.json(await historyElementBytes(catalogue, element, app.audienceOf(request)))
  })

  app.delete('/:elementId', { schema: deleteSchema, ...forViewers }, async function deleteWatchlistElement(request) {
    const isShown = catalogue.ageFilterFor(app.audienceOf(request))
    await watchlist.remove(app.viewerOf(request).id, request.params.elementId, isShown)
    return done(200, 'The watchlist element was removed')
  })
}
export default route
