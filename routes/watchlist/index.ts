import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers, createdAnswers } from '../../schemas/answers.js'
import { Done } from '../../schemas/common.js'
import { Page } from '../../schemas/page.js'
import { WatchlistAddition, WatchlistElement, WatchlistQuery } from '../../schemas/watchlist.js'
import { contentIdMissing, givenContentNotFound } from '../../src/errors.js'
import { done, pageMeta } from '../../src/http/reply.js'
import { refuseMissingContentId } from '../../src/http/requests.js'
import { watchlistPageBytes } from '../../src/viewing/viewer-bytes.js'

const tags = ['Watchlist']
const security = [{ bearer: [] }]

const listSchema = {
  summary: 'List what the user has saved for later',
  description: 'Most recently added first.',
  tags,
  security,
  querystring: WatchlistQuery,
  response: answers(Page(WatchlistElement), 401)
}
const postSchema = {
  summary: 'Save a content for later',
  description: 'Saving a content again changes nothing.',
  tags,
  security,
  body: WatchlistAddition,
  response: createdAnswers(Done, 401, 413)
}
const deleteSchema = {
  summary: 'Empty the watchlist',
  description: 'Removes all of its elements.',
  tags,
  security,
  response: answers(Done, 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { watchlist } = app.data

  app.get('', { schema: listSchema, ...forViewers }, async function listWatchlist(request, reply) {
    const { query } = request
    const isSuited = catalogue.suitedTo(app.audienceOf(request))
    const { elements, total } = await watchlist.list(app.viewerOf(request).id, query, isSuited)
    return reply.json(await watchlistPageBytes(catalogue, elements, pageMeta(query, total)))
  })

  app.post(
    '',
    { schema: postSchema, ...forViewers, preValidation: refuseMissingContentId(contentIdMissing) },
    async function addToWatchlist(request, reply) {
      const { content_id } = request.body
      if (!catalogue.isOpen(content_id, app.audienceOf(request))) throw givenContentNotFound()
      await watchlist.add(app.viewerOf(request).id, content_id)
      reply.code(201)
      return done(201, 'The content was added to the watchlist')
    }
  )

  app.delete('', { schema: deleteSchema, ...forViewers }, async function clearWatchlist(request) {
    await watchlist.removeAll(app.viewerOf(request).id)
    return done(200, 'The watchlist was emptied')
  })
}
export default route
