import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { answers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { Recommendation, RecommendationsQuery } from '../../schemas/recommendation.js'
import { recommendationsBytes } from '../../src/recommendations/serving/answer.js'
import { viewingOf } from '../../src/recommendations/serving/viewing.js'
import { days } from '../../src/time.js'

const schema = {
  summary: 'What to watch next',
  description: 'For a signed-in user by what that user has watched, for everyone else what is popular now. `reason` says why.',
  tags: ['Recommendations'],
  security: [{}, { bearer: [] }],
  querystring: RecommendationsQuery,
  response: answers(Ok(Type.Array(Recommendation)), 401)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data, recommender } = app
  const { COMPLETED_AT, INTEREST_FROM, RECENT_DAYS } = app.settings
  const interest = { completedAt: COMPLETED_AT, interestFrom: INTEREST_FROM }

  const guarded = { onRequest: app.tokenOptional, config: { admission: 'viewer' } } as const

  app.get('', { schema, ...guarded }, async function listRecommendations(request, reply) {
    catalogue.assertFresh()
    const { viewer, query } = request
    const viewing = viewer ? viewingOf(catalogue, await data.history.whole(viewer.id), interest) : undefined
    const recommendations = recommender.recommend(viewing, app.countryOf(request), query.perPage)
    return reply.json(await recommendationsBytes(catalogue, recommendations, Date.now() - days(RECENT_DAYS)))
  })
}
export default route
