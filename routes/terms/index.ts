import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { TermsPage } from '../../schemas/page.js'
import { IntegerId } from '../../schemas/path-ids.js'
import { Term, TermsQuery } from '../../schemas/term.js'
import { termAnswer, termsAnswer } from '../../src/catalogue/terms.js'
import { orThrow, resourceNotFound } from '../../src/errors.js'
import { integerId } from '../../src/http/requests.js'

const tags = ['Catalogue']

const listSchema = {
  summary: 'List the taxonomy terms',
  description: 'Newest first by default.',
  tags,
  querystring: TermsQuery,
  response: publicAnswers(TermsPage(Term))
}
const getSchema = {
  summary: 'Get a taxonomy term',
  description: 'GET /contents with `terms` lists the items that have it.',
  tags,
  params: Type.Object({ termId: IntegerId('Id of the term', 1) }),
  response: publicAnswers(Ok(Term), 404)
}

const config = { admission: 'public' } as const

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema: listSchema, config }, function listTerms({ query }, reply) {
    return reply.publicJson(termsAnswer(catalogue, query))
  })

  app.get('/:termId', { schema: getSchema, config }, function getTerm({ params }, reply) {
    return reply.publicJson(termAnswer(catalogue, orThrow(integerId(params.termId), resourceNotFound)))
  })
}
export default route
