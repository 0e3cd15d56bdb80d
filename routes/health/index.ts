import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { vitalAnswers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { ok } from '../../src/http/reply.js'

const schema = {
  summary: 'Check that the process is alive',
  description: 'Does not query the database.',
  tags: ['Service'],
  response: vitalAnswers(Ok(Type.Object({ status: Type.Literal('alive') }, { $id: 'Health' })))
}

const route: FastifyPluginAsyncTypebox = async app => {
  app.get('', { schema, config: { admission: 'vital' } }, async function getHealth() {
    return ok({ status: 'alive' as const })
  })
}
export default route
