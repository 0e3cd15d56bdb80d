import type { PageQuery } from '../../schemas/page.js'
import type { ProgrammeDocument } from '../data/programmes.js'
import { onPage, pageMeta } from '../reply.js'
import { timestamp } from '../time.js'
import type { Country } from './availability.js'
import { around, pageBytes } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { isServable } from './servable.js'

export interface Programme {
  id: number
  channel: string
  starts: number
  ends: number
  content_id: number
}

/** In the order of their beginnings. */
export type Schedule = Programme[]

export const readProgrammes = async (
  documents: AsyncIterable<ProgrammeDocument>,
  onBroken: (ids: unknown[]) => void
): Promise<Schedule> => {
  const schedule: Schedule = []
  const broken: unknown[] = []
  for await (const programme of documents) {
    if (!isServable.programmes(programme)) {
      broken.push(programme._id)
      continue
    }
    const { _id, channel, starts_at, ends_at, content_id } = programme
    schedule.push({ id: _id, channel, starts: starts_at.getTime(), ends: ends_at.getTime(), content_id })
  }
  onBroken(broken)
  return schedule.sort((a, b) => a.starts - b.starts || a.id - b.id)
}

interface Window extends PageQuery {
  from: number
  to: number
  channel?: string[]
}

/** One page of what overlaps a window and shows an open content; a window of a single moment shows what is on then. */
export const schedulePage = async (catalogue: Catalogue, { from, to, channel, ...query }: Window, country: Country) => {
  const now = Date.now()
  const until = Math.max(to, from + 1)
  const programmes = catalogue.schedule.filter(
    ({ starts, ends, channel: on, content_id }) =>
      starts < until && ends > from && (channel?.includes(on) ?? true) && catalogue.isOpen(content_id, country, now)
  )
  const shown = onPage(programmes, query)
  const fragments = await catalogue.fragments.of(shown.map(({ content_id }) => content_id))
  const elements = fragments.map((fragment, i) => around(toWire(shown[i] as Programme), fragment))
  return pageBytes(elements, pageMeta(query, programmes.length))
}

const toWire = ({ id, channel, starts, ends }: Programme) => ({
  id,
  channel,
  starts_at: timestamp(new Date(starts)),
  ends_at: timestamp(new Date(ends))
})
