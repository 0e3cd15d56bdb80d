import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { publicAnswers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { Content, ContentDetails } from '../../schemas/content.js'
import { ContentsQuery } from '../../schemas/contents-query.js'
import { Page } from '../../schemas/page.js'
import { IntegerId } from '../../schemas/path-ids.js'
import { SimilarContent, SimilarQuery } from '../../schemas/recommendation.js'
import { contentAnswer, contentsAnswer, openTitleIdOf, ViewerContents } from '../../src/catalogue/contents.js'
import { orThrow, resourceNotFound } from '../../src/errors.js'
import { integerId } from '../../src/http/requests.js'
import { similarAnswer } from '../../src/recommendations/serving/answers.js'
import { onlyWatched } from '../../src/viewing/watched.js'

const security = [{ bearer: [] }, {}]
const params = Type.Object({ contentId: IntegerId('Id of the item', 1405) })

const listSchema = {
  summary: 'List the items available to the caller',
  description:
    'Sorted by weight by default, then by start date, newest first. Items without a weight come last. A search without `order_by` is sorted by relevance.',
  tags: ['Catalogue'],
  security,
  querystring: ContentsQuery,
  response: publicAnswers(Page(Content), 401)
}
const getSchema = {
  summary: 'Get an item',
  description: 'Returns 404 if the item is not available to the caller, and 308 with the path of its current id if it was given a new one.',
  tags: ['Catalogue'],
  security,
  params,
  response: { ...publicAnswers(Ok(ContentDetails), 404), 308: Type.Null() }
}
const similarSchema = {
  summary: 'List titles like this one',
  description:
    'Titles that viewers of this one watch next or like, then those with the same terms, then popular ones of its type, each once. For an episode or a season, these are titles like its show. The list is the same for everyone in a country. Returns 404 if the item or its show is not available to the caller.',
  tags: ['Recommendations'],
  security,
  params,
  querystring: SimilarQuery,
  response: publicAnswers(Ok(Type.Array(SimilarContent), 'SimilarAnswer'), 404)
}

const config = { admission: 'public' } as const

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data, recommender, settings } = app
  const viewerContents = new ViewerContents(catalogue)

  const listByWatched = async (request: FastifyRequest<{ Querystring: ContentsQuery }>, isWatched: boolean) => {
    const { id } = app.viewerOf(request)
    const audience = app.audienceOf(request)
    catalogue.assertFresh()
    const completed = await app.readForViewer(request, () => data.history.completed(id))
    return viewerContents.page(request.query, audience, onlyWatched(catalogue, completed, isWatched, audience))
  }

  app.get('', { schema: listSchema, config }, function listContents(request, reply) {
    const { watched } = request.query
    if (watched !== undefined) return listByWatched(request, watched).then(bytes => reply.json(bytes))
    return reply.publicJson(contentsAnswer(catalogue, request.query, app.audienceOf(request)), { vary: app.audienceHeaders })
  })

  app.get('/:contentId', { schema: getSchema, config }, function getContent(request, reply) {
    const id = orThrow(integerId(request.params.contentId), resourceNotFound)
    const audience = app.audienceOf(request)
    const options = { vary: app.audienceHeaders }
    const current = orThrow(catalogue.availableId(id, audience), resourceNotFound)
    if (current === id) return reply.publicJson(contentAnswer(catalogue, id), options)
    return reply.publicRedirect(`${settings.BASE_PATH}/contents/${current}`, options)
  })

  app.get('/:contentId/similar', { schema: similarSchema, config }, function listSimilar(request, reply) {
    const audience = app.audienceOf(request)
    const titleId = openTitleIdOf(catalogue, request.params.contentId, audience)
    const wanted = { titleId, count: request.query.perPage, audience }
    return reply.publicJson(similarAnswer(catalogue, recommender, wanted, settings.RECENT_DAYS), { vary: app.audienceHeaders })
  })
}
export default route
