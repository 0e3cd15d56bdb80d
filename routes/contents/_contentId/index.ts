import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../../schemas/answers.js'
import { Ok } from '../../../schemas/common.js'
import { Content } from '../../../schemas/content.js'
import { IntegerId } from '../../../schemas/path-ids.js'
import { contentAnswer } from '../../../src/catalogue/contents.js'
import { contentNotFound, orThrow } from '../../../src/errors.js'
import { integerId } from '../../../src/http/requests.js'

const schema = {
  summary: 'Get a content',
  description: 'Returns a 404 if the content is not open to the caller.',
  tags: ['Catalogue'],
  security: [{ bearer: [] }, {}],
  params: Type.Object({ contentId: IntegerId('Id of the content', 1405) }),
  response: publicAnswers(Ok(Content), 404)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema, config: { admission: 'public' } }, function getContent(request, reply) {
    const id = orThrow(integerId(request.params.contentId), contentNotFound)
    return reply.publicJson(contentAnswer(catalogue, id, app.audienceOf(request)), { vary: app.audienceHeaders })
  })
}
export default route
