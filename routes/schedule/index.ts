import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { maxValueLength, Names } from '../../schemas/lists.js'
import { Page, PageQuery } from '../../schemas/page.js'
import { Programme } from '../../schemas/programme.js'
import { answerOf } from '../../src/catalogue/answers.js'
import { schedulePage } from '../../src/catalogue/schedule-page.js'
import { invalid } from '../../src/errors.js'
import { days, moment } from '../../src/time.js'

const Moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', maxLength: maxValueLength, description }))

const momentOf = (text: string | undefined) => (text === undefined ? undefined : moment(text)?.getTime())

const schema = {
  summary: 'What the channels show',
  description: 'What overlaps a window of time, by its beginning. What shows a content that is not open is left out.',
  tags: ['Catalogue'],
  querystring: Type.Object({
    from: Moment('Begin of the window; now without it'),
    to: Moment('End of the window; 24 hours after `from` without it'),
    channel: Names('Channels'),
    ...PageQuery
  }),
  response: publicAnswers(Page(Programme))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, settings } = app

  app.get('', { schema, config: { admission: 'public' } }, async function listSchedule(request, reply) {
    const { query } = request
    const from = momentOf(query.from) ?? Date.now()
    const to = momentOf(query.to) ?? from + days(1)
    if (to < from) throw invalid([{ field: 'to', message: 'must not be before from' }])
    catalogue.assertFresh()
    const country = app.countryOf(request)
    const page = await catalogue.pace.run(() => schedulePage(catalogue, { ...query, from, to }, country))
    return reply.publicJson(answerOf(page), settings.COUNTRY_HEADER)
  })
}
export default route
