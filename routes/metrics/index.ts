import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { Registry } from 'prom-client'
import { vitalAnswers } from '../../schemas/answers.js'

const schema = {
  summary: 'Get the metrics of the process',
  description: 'In the Prometheus text format: requests, database, catalogue, recommendations, event loop, memory.',
  tags: ['Service'],
  response: vitalAnswers({ content: { 'text/plain': { schema: Type.String() } } })
}

const route: FastifyPluginAsyncTypebox = async app => {
  app.get('', { schema, config: { admission: 'vital' } }, async function getMetrics(_request, reply) {
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE)
    return app.metricsText()
  })
}
export default route
