import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Page } from '../../schemas/page.js'
import { Programme } from '../../schemas/programme.js'
import { ScheduleQuery } from '../../schemas/schedule-query.js'
import { scheduleAnswer } from '../../src/catalogue/schedule.js'

const schema = {
  summary: 'List what the channels show',
  description:
    'The programmes that overlap a time window, sorted by their start. Programmes whose content is not open to the caller are left out.',
  tags: ['Catalogue'],
  security: [{ bearer: [] }, {}],
  querystring: ScheduleQuery,
  response: publicAnswers(Page(Programme))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema, config: { admission: 'public' } }, function listSchedule(request, reply) {
    return reply.publicJson(scheduleAnswer(catalogue, request.query, app.audienceOf(request)), { vary: app.audienceHeaders })
  })
}
export default route
