import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../../../schemas/answers.js'
import { Ok } from '../../../../schemas/common.js'
import { IntegerId } from '../../../../schemas/path-ids.js'
import { SimilarContent, SimilarQuery } from '../../../../schemas/similar.js'
import { openTitleIdOf } from '../../../../src/catalogue/contents.js'
import { similarAnswer } from '../../../../src/recommendations/serving/answers.js'

const schema = {
  summary: 'List titles like this one',
  description:
    'Most similar first. For an episode or a season, these are titles like its show. Returns a 404 if the content is not open to the caller.',
  tags: ['Recommendations'],
  security: [{ bearer: [] }, {}],
  params: Type.Object({ contentId: IntegerId('Id of the content', 1405) }),
  querystring: SimilarQuery,
  response: publicAnswers(Ok(Type.Array(SimilarContent), 'SimilarAnswer'), 404)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, recommender, settings } = app

  app.get('', { schema, config: { admission: 'public' } }, function listSimilar(request, reply) {
    const audience = app.audienceOf(request)
    const titleId = openTitleIdOf(catalogue, request.params.contentId, audience)
    const wanted = { titleId, count: request.query.perPage, audience }
    return reply.publicJson(similarAnswer(catalogue, recommender, wanted, settings.RECENT_DAYS), { vary: app.audienceHeaders })
  })
}
export default route
