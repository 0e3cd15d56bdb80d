import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../../schemas/answers.js'
import { Ok } from '../../../schemas/common.js'
import { IntegerId } from '../../../schemas/path-ids.js'
import { Term } from '../../../schemas/term.js'
import { termAnswer } from '../../../src/catalogue/terms.js'
import { orThrow, termNotFound } from '../../../src/errors.js'
import { integerId } from '../../../src/http/requests.js'

const schema = {
  summary: 'Get a taxonomy term',
  description: 'Its contents are those of GET /contents with `terms`.',
  tags: ['Catalogue'],
  params: Type.Object({ termId: IntegerId('Id of the term', 1) }),
  response: publicAnswers(Ok(Term), 404)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema, config: { admission: 'public' } }, function getTerm({ params }, reply) {
    const id = orThrow(integerId(params.termId), termNotFound)
    return reply.publicJson(termAnswer(catalogue, id))
  })
}
export default route
