import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forAnyone, forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { Recommendation, RecommendationsQuery, SeenTitles } from '../../schemas/recommendation.js'
import { titleFor } from '../../src/catalogue/audience.js'
import { done } from '../../src/http/reply.js'
import { Pacer } from '../../src/overload/pacer.js'
import { viewingOf } from '../../src/recommendations/interest.js'
import { recommendationsBytes } from '../../src/recommendations/serving/answers.js'

const schema = {
  summary: 'List what to watch next',
  description:
    "For signed-in users, based on what they have watched and liked. For everyone else, what is popular now; views from the caller's country weigh more. A title that the user has started is never recommended. New activity counts from the next request on. `reason` says why a title is recommended. The list is shorter than `perPage` only if no more titles are available.",
  tags: ['Recommendations'],
  security: [{ bearer: [] }, {}],
  querystring: RecommendationsQuery,
  response: answers(Ok(Type.Array(Recommendation), 'RecommendationsAnswer'), 401)
}

const seenSchema = {
  summary: 'Report which titles were seen',
  description:
    'Reports titles that were on the screen. A title that was seen 5 times in 30 days, at least 30 minutes apart, and not started is ranked last for 14 days, unless the user likes it. An episode or a season counts as its show. Unknown items, and items whose start date is in the future or that are above the age limit, are ignored.',
  tags: ['Recommendations'],
  security: [{ bearer: [] }],
  body: SeenTitles,
  response: answers(Done, 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data, recommender, uptake } = app
  const { COMPLETED_AT, INTEREST_FROM, RECENT_DAYS } = app.settings
  const interest = { completedAt: COMPLETED_AT, interestFrom: INTEREST_FROM }
  const pacer = new Pacer()

  app.get('', { schema, ...forAnyone }, async function listRecommendations(request, reply) {
    catalogue.assertFresh()
    const { viewer, query } = request
    const audience = app.audienceOf(request)
    const stored = viewer ? await data.history.wholeAndOpinions(viewer.id) : undefined
    // Callers without a token have no history and share one list.
    const name = `${query.perPage} ${stored?.digest ?? 'anyone'}`
    // One job, because titles are rows of the skeleton, which may be replaced between jobs.
    const bytes = await pacer.run(() => {
      const recommendations = recommender.remembered(name, audience, () => {
        const viewing = stored && viewingOf(catalogue, stored.read(), interest, audience)
        return recommender.recommend(viewing, audience, query.perPage)
      })
      if (viewer && request.method === 'GET') uptake.show(viewer.id, recommendations)
      return recommendationsBytes(catalogue, recommendations, RECENT_DAYS)
    })
    return reply.json(bytes)
  })

  app.post('/seen', { schema: seenSchema, ...forViewers }, async function reportSeenTitles(request) {
    catalogue.assertFresh()
    const viewer = app.viewerOf(request)
    const { skeleton } = catalogue
    const audience = app.audienceOf(request)
    const rows = new Set(request.body.content_ids.flatMap(id => titleFor(skeleton, id, audience) ?? []))
    const titles = [...rows].map(row => skeleton.idOf(row))
    if (titles.length > 0)
      await data.seen.add(
        viewer.id,
        titles.map(id => skeleton.idsOf(id))
      )
    uptake.see(viewer.id, titles)
    return done(200, 'The titles were noted')
  })
}
export default route
