import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { Page } from '../../schemas/page.js'
import { OnAir, OnAirQuery, Programme, ScheduleQuery } from '../../schemas/schedule.js'
import { onAirAnswer, scheduleAnswer } from '../../src/catalogue/schedule.js'

const shared = { tags: ['Catalogue'], security: [{ bearer: [] }, {}] }

const listSchema = {
  ...shared,
  summary: 'List what the channels show',
  description:
    'The programmes that overlap a time window, sorted by start. If `from` and `to` are equal, lists what is on at that moment. Programmes whose item the caller may not see are left out.',
  querystring: ScheduleQuery,
  response: publicAnswers(Page(Programme))
}
const nowSchema = {
  ...shared,
  summary: 'List what is on now and next',
  description:
    'Sorted by the name of the channel, ignoring case and accents. If two programmes overlap, the one that began later is on. Channels that show nothing now or within 24 hours are left out, and so are unknown channels and programmes whose item the caller may not see.',
  querystring: OnAirQuery,
  response: publicAnswers(Ok(Type.Array(OnAir), 'OnAirAnswer'))
}

const config = { admission: 'public' } as const

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema: listSchema, config }, function listSchedule(request, reply) {
    return reply.publicJson(scheduleAnswer(catalogue, request.query, app.audienceOf(request)), { vary: app.audienceHeaders })
  })

  app.get('/now', { schema: nowSchema, config }, function listOnAir(request, reply) {
    return reply.publicJson(onAirAnswer(catalogue, request.query, app.audienceOf(request)), { vary: app.audienceHeaders })
  })
}
export default route
