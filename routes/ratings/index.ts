import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done } from '../../schemas/common.js'
import { Page, PageQuery } from '../../schemas/page.js'
import { IntegerId } from '../../schemas/path-ids.js'
import { RatedTitle, RatingChange } from '../../schemas/rating.js'
import { isListedFor } from '../../src/catalogue/audience.js'
import { storedTitleIdsOf, titleIdOf } from '../../src/catalogue/contents.js'
import { done, pageMeta } from '../../src/http/reply.js'
import { ratingsPageBytes } from '../../src/viewing/viewer-bytes.js'

const shared = { tags: ['Ratings'], security: [{ bearer: [] }] }
const params = Type.Object({ contentId: IntegerId('Id of the item', 1405) })

const listSchema = {
  ...shared,
  summary: 'List the titles that the user has rated',
  description: 'Most recently rated first.',
  querystring: Type.Object(PageQuery),
  response: answers(Page(RatedTitle), 401)
}
const putSchema = {
  ...shared,
  summary: 'Like or dislike a title',
  description:
    'A liked title counts for recommendations as if it had been completed when it was rated. A disliked one is not recommended, is not in the rows `recommended`, `because`, `popular` and `new` of GET /home, and nothing of it counts for recommendations. Continue watching, the watchlist and rails keep it. The id of an episode or season rates the show. Returns 404 for an unknown id, and for an item whose start date is in the future. The same rating again changes nothing.',
  params,
  body: RatingChange,
  response: answers(Done, 401, 404, 413)
}
const deleteSchema = {
  ...shared,
  summary: 'Remove a rating',
  description: 'The id may be that of any item of the title. Returns 404 if the title is not rated.',
  params,
  response: answers(Done, 401, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { ratings } = app.data

  app.get('', { schema: listSchema, ...forViewers }, async function listRatings(request, reply) {
    const { query } = request
    // The start date of a title may have been moved since it was rated.
    const isShown = isListedFor(catalogue.skeleton, app.audienceOf(request))
    const { elements, total } = await ratings.list(app.viewerOf(request).id, query, isShown)
    return reply.json(await ratingsPageBytes(catalogue, elements, pageMeta(query, total)))
  })

  app.put('/:contentId', { schema: putSchema, ...forViewers }, async function rateTitle(request) {
    const { id } = app.viewerOf(request)
    const { rating } = request.body
    const title = titleIdOf(catalogue, request.params.contentId, app.audienceOf(request))
    await ratings.put(id, title, rating)
    if (rating === 'dislike') app.unwanted.add(id, title)
    return done(200, 'The title was rated')
  })

  app.delete('/:contentId', { schema: deleteSchema, ...forViewers }, async function removeRating(request) {
    const ids = storedTitleIdsOf(catalogue, request.params.contentId, app.audienceOf(request))
    await ratings.remove(app.viewerOf(request).id, ids)
    return done(200, 'The rating was removed')
  })
}
export default route
