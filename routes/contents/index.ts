import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Content } from '../../schemas/content.js'
import { ContentsQuery } from '../../schemas/contents-query.js'
import { Page } from '../../schemas/page.js'
import { contentsPage } from '../../src/catalogue/contents.js'

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
    const { query, url } = request
    const country = app.countryOf(request)
    const jobs = query.search === undefined ? catalogue.lists : catalogue.searches
    const answer = catalogue.answer(`${country} ${url}`, () => contentsPage(catalogue, query, country), jobs)
    return reply.publicJson(answer, settings.COUNTRY_HEADER)
  })
}
export default route
