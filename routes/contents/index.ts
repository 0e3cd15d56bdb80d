import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Content } from '../../schemas/content.js'
import { ContentsQuery } from '../../schemas/contents-query.js'
import { Page } from '../../schemas/page.js'
import { contentsAnswer } from '../../src/catalogue/contents.js'

const schema = {
  summary: 'List the contents that are open to the caller',
  description: 'Sorted by weight by default, and by start date among equal weights, newest first. Contents without a weight come last.',
  tags: ['Catalogue'],
  security: [{ bearer: [] }, {}],
  querystring: ContentsQuery,
  response: publicAnswers(Page(Content))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema, config: { admission: 'public' } }, function listContents(request, reply) {
    return reply.publicJson(contentsAnswer(catalogue, request.query, app.audienceOf(request)), { vary: app.audienceHeaders })
  })
}
export default route
