import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Page, TermsMeta } from '../../schemas/page.js'
import { Term } from '../../schemas/term.js'
import { TermsQuery } from '../../schemas/terms-query.js'
import { termsPage } from '../../src/catalogue/terms.js'

const schema = {
  summary: 'The taxonomy terms',
  description: 'Newest first unless ordered otherwise.',
  tags: ['Catalogue'],
  querystring: TermsQuery,
  response: publicAnswers(Page(Term, TermsMeta))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema, config: { admission: 'public' } }, function listTerms({ url, query }, reply) {
    return reply.publicJson(catalogue.answer(url, () => termsPage(catalogue.terms, query)))
  })
}
export default route
