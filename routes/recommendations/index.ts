import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forAnyone } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { Recommendation, RecommendationsQuery } from '../../schemas/recommendation.js'
import { Pacer } from '../../src/overload/pacer.js'
import { viewingOf } from '../../src/recommendations/interest.js'
import { recommendationsBytes } from '../../src/recommendations/serving/answers.js'

const schema = {
  summary: 'List what to watch next',
  description:
    'For signed-in users, based on what they have watched. For everyone else, what is popular now. `reason` says why a title is recommended.',
  tags: ['Recommendations'],
  security: [{ bearer: [] }, {}],
  querystring: RecommendationsQuery,
  response: answers(Ok(Type.Array(Recommendation), 'RecommendationsAnswer'), 401)
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
    const history = viewer ? await data.history.wholeAndOpinions(viewer.id) : undefined
    // In one job, because titles are rows of a skeleton that may be replaced.
    const bytes = await pacer.run(() => {
      const viewing = history && viewingOf(catalogue, history, interest, audience)
      const recommendations = recommender.recommend(viewing, audience, query.perPage)
      if (viewer && request.method === 'GET') uptake.show(viewer.id, recommendations)
      return recommendationsBytes(catalogue, recommendations, RECENT_DAYS)
    })
    return reply.json(bytes)
  })
}
export default route
