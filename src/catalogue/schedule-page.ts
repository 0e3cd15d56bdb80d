import type { PageQuery } from '../../schemas/page.js'
import { pageMeta } from '../http/reply.js'
import { timestamp } from '../time.js'
import { around, pageBytes } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import type { Country } from './country.js'
import type { Programme, Window } from './schedule.js'

/** One page of GET /schedule. */
export const schedulePage = async (catalogue: Catalogue, window: Window & PageQuery, country: Country) => {
  const { schedule, skeleton, fragments } = catalogue
  const { shown, total } = schedule.page(skeleton, window, country, Date.now(), window)
  const programmes = shown.map(row => schedule.get(row))
  const contents = await fragments.inTurn(programmes.map(({ content_id }) => content_id))
  const elements = contents.map((fragment, i) => around(toWire(programmes[i] as Programme), fragment))
  return pageBytes(elements, pageMeta(window, total))
}

const toWire = ({ id, channel, starts, ends }: Programme) => ({
  id,
  channel,
  starts_at: timestamp(new Date(starts)),
  ends_at: timestamp(new Date(ends))
})
