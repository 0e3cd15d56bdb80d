import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Content } from '../../schemas/content.js'
import { ContentsQuery } from '../../schemas/contents-query.js'
import { Page } from '../../schemas/page.js'
import { contentsAnswer } from '../../src/catalogue/contents-page.js'

const schema = {
  summary: 'The contents that are open to viewers',
  description:
    'By weight, the newest first among equals, unless ordered otherwise. Contents without a weight come last in orders by weight.',
  tags: ['Catalogue'],
  querystring: ContentsQuery,
  response: publicAnswers(Page(Content))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, settings } = app

  app.get('', { schema, config: { admission: 'public' } }, function listContents(request, reply) {
    return reply.publicJson(contentsAnswer(catalogue, request.query, app.countryOf(request)), settings.COUNTRY_HEADER)
  })
}
export default route
