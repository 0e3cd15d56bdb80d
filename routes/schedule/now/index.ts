import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../../schemas/answers.js'
import { Ok } from '../../../schemas/common.js'
import { OnAir, OnAirQuery } from '../../../schemas/on-air.js'
import { onAirAnswer } from '../../../src/catalogue/schedule.js'

const schema = {
  summary: 'List what is on now and next',
  description:
    'Sorted by the name of the channel. Channels that show nothing now or within 24 hours are left out, and so are programmes whose content is not open to the caller.',
  tags: ['Catalogue'],
  security: [{ bearer: [] }, {}],
  querystring: OnAirQuery,
  response: publicAnswers(Ok(Type.Array(OnAir), 'OnAirAnswer'))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema, config: { admission: 'public' } }, function listOnAir(request, reply) {
    return reply.publicJson(onAirAnswer(catalogue, request.query, app.audienceOf(request)), { vary: app.audienceHeaders })
  })
}
export default route
