import type { ScheduleQuery } from '../../schemas/schedule-query.js'
import { invalid } from '../errors.js'
import { pageMeta } from '../http/reply.js'
import { days, timeOf } from '../time.js'
import { answerOf } from './answers.js'
import type { Audience } from './audience.js'
import { pageBytes, withContent } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { type Programme, programmeToWire } from './programmes.js'
import type { ScheduleFilter } from './schedule.js'

const filterOf = (query: ScheduleQuery): ScheduleFilter => {
  const from = timeOf(query.from) ?? Date.now()
  const to = timeOf(query.to) ?? from + days(1)
  if (to < from) throw invalid([{ field: 'to', message: 'must not be before from' }])
  return { from, to, channel: query.channel }
}

/** One page of GET /schedule. It is not cached, because by default each request has a time window of its own. */
export const scheduleAnswer = async (catalogue: Catalogue, query: ScheduleQuery, audience: Audience) => {
  const filter = filterOf(query)
  catalogue.assertFresh()
  return catalogue.pacer.run(async () => {
    const { schedule, skeleton, fragments } = catalogue
    const { shown, total } = schedule.page(skeleton, filter, audience, Date.now(), query)
    const programmes = shown.map(row => schedule.get(row))
    const contents = await fragments.forPublicList(programmes.map(({ content_id }) => content_id))
    const elements = contents.map((fragment, i) => withContent(programmeToWire(programmes[i] as Programme), fragment))
    return answerOf(pageBytes(elements, pageMeta(query, total)))
  })
}
