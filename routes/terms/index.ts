import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { TermsPage } from '../../schemas/page.js'
import { Term } from '../../schemas/term.js'
import { TermsQuery } from '../../schemas/terms-query.js'
import { termsAnswer } from '../../src/catalogue/terms.js'

const schema = {
  summary: 'List the taxonomy terms',
  description: 'Newest first by default.',
  tags: ['Catalogue'],
  querystring: TermsQuery,
  response: publicAnswers(TermsPage(Term))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema, config: { admission: 'public' } }, function listTerms({ query }, reply) {
    return reply.publicJson(termsAnswer(catalogue, query))
  })
}
export default route
