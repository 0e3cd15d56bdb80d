import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { vitalAnswers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { unavailable } from '../../src/errors.js'
import { ok } from '../../src/http/reply.js'

const schema = {
  summary: 'Check that the service is ready',
  description: 'Returns 503 during startup, while the database is unavailable, and after a stop signal.',
  tags: ['Service'],
  response: vitalAnswers(Ok(Type.Object({ status: Type.Literal('ready') }, { $id: 'Readiness' })), 503)
}

const route: FastifyPluginAsyncTypebox = async app => {
  app.get('', { schema, config: { admission: 'vital' } }, async function getReady() {
    if (app.isDraining || !app.isReady || !(await app.pingDatabase())) throw unavailable()
    return ok({ status: 'ready' as const })
  })
}
export default route
