import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../../schemas/answers.js'
import { Ok } from '../../../schemas/common.js'
import { IntegerId } from '../../../schemas/path-ids.js'
import { Term } from '../../../schemas/term.js'
import { jsonAnswer } from '../../../src/catalogue/bytes.js'
import { toTerm } from '../../../src/data/terms.js'
import { orNotFound } from '../../../src/errors.js'
import { integerId } from '../../../src/http/ids.js'
import { ok } from '../../../src/http/reply.js'

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
    const id = orNotFound(integerId(params.termId))
    catalogue.assertFresh()
    const term = orNotFound(catalogue.terms.byId(id))
    return reply.publicJson(catalogue.answer(`term ${id}`, () => jsonAnswer(ok(toTerm(term)))))
  })
}
export default route
