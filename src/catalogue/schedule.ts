import type { PageQuery } from '../../schemas/page.js'
import type { OnAir, OnAirQuery, Programme as ProgrammeOnWire, ScheduleQuery } from '../../schemas/schedule.js'
import { invalid } from '../errors.js'
import { pageMeta } from '../http/reply.js'
import type { Pacer } from '../overload/pacer.js'
import { days, timeOf, timestamp } from '../time.js'
import { type Audience, isAvailable, segmentOf } from './audience.js'
import { jsonParts, listAnswer, pageBytes, partsOf } from './bytes.js'
import { DictionaryColumn, distinct, firstWhere, passes, type Selection, select } from './columns.js'
import { type Fragments, withContent } from './fragments.js'
import type { ProgrammeDocument } from './programmes.js'
import { type Answering, withETag } from './public-responses.js'
import { fold } from './search/index.js'
import type { Skeleton } from './skeleton.js'

interface ScheduleSource extends Answering {
  schedule: Schedule
  skeleton: Skeleton
  fragments: Fragments
  pacer: Pacer
  isAvailable: (id: number, audience: Audience, now: number) => boolean
}

/** One page of GET /schedule. Not cached, because by default each request has its own time window. */
export const scheduleAnswer = async (catalogue: ScheduleSource, query: ScheduleQuery, audience: Audience) => {
  const filter = filterOf(query)
  catalogue.assertFresh()
  return catalogue.pacer.run(async () => {
    const { schedule, skeleton, fragments } = catalogue
    const { shown, total } = schedule.page(skeleton, filter, audience, Date.now(), query)
    const programmes = shown.map(row => schedule.get(row))
    const contents = await fragments.forPublicList(programmes.map(({ content_id }) => content_id))
    const elements = contents.map((fragment, i) => withContent(programmeToWire(programmes[i] as Programme), fragment))
    return withETag(pageBytes(elements, pageMeta(query, total)))
  })
}

const filterOf = (query: ScheduleQuery): ScheduleFilter => {
  const from = timeOf(query.from) ?? Date.now()
  const to = timeOf(query.to) ?? from + days(1)
  if (to < from) throw invalid([{ field: 'to', message: 'must not be before from' }])
  return { from, to, channel: query.channel }
}

/** What is on now and next. Only contents that are not cached are read from the database. */
export const onAirAnswer = (catalogue: ScheduleSource, query: OnAirQuery, audience: Audience) => {
  const names = catalogue.schedule.normalized(query.channel)
  const key = JSON.stringify(['on air', names, segmentOf(catalogue.skeleton, audience)])
  return catalogue.answer(key, async () => {
    const moment = Date.now()
    const isShown = ({ content_id }: Programme) => catalogue.isAvailable(content_id, audience, moment)
    const { channels, until } = catalogue.schedule.onAir(names, moment, isShown)

    const ids = channels.flatMap(({ now, next }) => [now, next].flatMap(programme => programme?.content_id ?? []))
    const contents = await catalogue.fragments.forPublicList(ids)
    const fragments = new Map(ids.map((id, i) => [id, contents[i]]))
    const part = (programme: Programme | undefined) => {
      const fragment = programme && fragments.get(programme.content_id)
      return fragment ? withContent(programmeToWire(programme), fragment) : partsOf(null)
    }
    const elements = channels.map(({ channel, now, next }) =>
      jsonParts<OnAir>([`{"channel":${JSON.stringify(channel)},"now":`, ...part(now), ',"next":', ...part(next), '}'])
    )
    return listAnswer(elements, until)
  })
}

export interface Programme {
  id: number
  channel: string
  starts: number
  ends: number
  content_id: number
}

/** Sorted by start. */
export const readProgrammes = async (documents: AsyncIterable<ProgrammeDocument>): Promise<Programme[]> => {
  const programmes: Programme[] = []
  for await (const { _id, channel, starts_at, ends_at, content_id } of documents)
    programmes.push({ id: _id, channel, starts: starts_at.getTime(), ends: ends_at.getTime(), content_id })
  return programmes.sort((a, b) => a.starts - b.starts || a.id - b.id)
}

const programmeToWire = ({ id, channel, starts, ends }: Programme): Omit<ProgrammeOnWire, 'content'> => ({
  id,
  channel,
  starts_at: timestamp(new Date(starts)),
  ends_at: timestamp(new Date(ends))
})

/** For each programme, when it and all programmes before it have ended. */
const allEndedOf = (programmes: readonly Programme[]) => {
  let latest = Number.NEGATIVE_INFINITY
  return Float64Array.from(programmes, ({ ends }) => {
    latest = Math.max(latest, ends)
    return latest
  })
}

const sortedNames = (programmes: readonly Programme[]) => {
  const names = new Set(programmes.map(({ channel }) => channel))
  const keyed = [...names].map(name => ({ name, key: fold(name) }))
  keyed.sort((a, b) => (a.key < b.key || (a.key === b.key && a.name < b.name) ? -1 : 1))
  return keyed.map(({ name }) => name)
}

/** The row of an item that is not in the skeleton. */
const noRow = -1
const [unknown, open, closed] = [0, 1, 2]

/** How long before its start a programme is shown as the next one. */
const nextWithin = days(1)

interface NowAndNext {
  channel: string
  now?: Programme
  next?: Programme
}

/** Selects programmes that overlap a time window. If `from` equals `to`, these are the ones on at that moment. */
interface ScheduleFilter {
  from: number
  to: number
  channel?: string[] | undefined
}

/** The programmes of all channels, one row each, sorted by start. */
export class Schedule {
  /** The names of the channels, sorted ignoring case and accents. */
  private readonly names: string[]
  /** A buffer for the rows that a page is chosen from. */
  private readonly shown: Int32Array
  private readonly channel = new DictionaryColumn<string>()
  private readonly ends: Float64Array
  private readonly allEnded: Float64Array
  private contents: { rows: Int32Array; known: Uint8Array; skeleton: Skeleton; size: number } | undefined

  /** `programmes` must be sorted by start. */
  constructor(private readonly programmes: Programme[]) {
    this.shown = new Int32Array(programmes.length)
    this.ends = Float64Array.from(programmes, ({ ends }) => ends)
    this.allEnded = allEndedOf(programmes)
    programmes.forEach(({ channel }, row) => void this.channel.set(row, channel, channel))
    this.names = sortedNames(programmes)
  }

  get(row: number) {
    return this.programmes[row] as Programme
  }

  /** One page of the programmes that overlap the window and show an available item. */
  page(skeleton: Skeleton, { from, to, channel }: ScheduleFilter, audience: Audience, now: number, page: PageQuery): Selection {
    const { first, end } = this.overlapping(from, Math.max(to, from + 1))
    const { rows, known } = this.contentsIn(skeleton)
    known.fill(unknown)
    const isShown = (row: number) => {
      const content = rows[row] as number
      if (!((this.ends[row] as number) > from) || content === noRow) return false
      // Remembered, because most contents have many programmes.
      if (known[content] === unknown) known[content] = isAvailable(skeleton, content, now, audience) ? open : closed
      return known[content] === open
    }
    const filters = channel ? [this.channel.anyOf(channel)] : []
    let count = 0
    for (let row = first; row < end; row++) if (passes(filters, row) && isShown(row)) this.shown[count++] = row
    return select(this.shown.subarray(0, count), [], page)
  }

  /** Makes equivalent filters by channel equal, so that they share a cache key. */
  normalized(names: string[] | undefined) {
    return distinct(names, name => this.channel.has(name))
  }

  /** What these channels, or all, show now and next, and until when this is valid. Sorted by name, without channels that show nothing. */
  onAir(names: string[] | undefined, moment: number, isShown: (programme: Programme) => boolean) {
    const byName = this.channelsOf(names)
    const { first, end } = this.overlapping(moment, moment + nextWithin + 1)
    for (let row = first; row < end; row++) {
      const programme = this.get(row)
      const channel = byName.get(programme.channel)
      if (!channel || programme.ends <= moment) continue
      const place = programme.starts <= moment ? 'now' : 'next'
      // If several are running, the one that began last is on.
      if ((place === 'now' || !channel.next) && isShown(programme)) channel[place] = programme
    }

    const channels = [...byName.values()].filter(({ now, next }) => now || next)
    let until = (this.programmes[end]?.starts ?? Number.POSITIVE_INFINITY) - nextWithin
    for (const { now, next } of channels) until = Math.min(until, now?.ends ?? until, next?.starts ?? until)
    return { channels, until }
  }

  /** These channels, or all, sorted by name, still without programmes. */
  private channelsOf(names: string[] | undefined) {
    const wanted = new Set(names ?? this.names)
    return new Map<string, NowAndNext>(this.names.filter(name => wanted.has(name)).map(channel => [channel, { channel }]))
  }

  /** The range of rows that can overlap a window. Some of them may have ended before it. */
  private overlapping(from: number, until: number) {
    const { length } = this.programmes
    return {
      first: firstWhere(length, row => (this.allEnded[row] as number) > from),
      end: firstWhere(length, row => this.get(row).starts >= until)
    }
  }

  /**
   * The skeleton rows of the programmes' contents, and a buffer for what is known of each item. Rows keep their numbers, so only a new item
   * changes the result.
   */
  private contentsIn(skeleton: Skeleton) {
    const { size } = skeleton
    if (this.contents?.skeleton !== skeleton || this.contents.size !== size) {
      const rows = Int32Array.from(this.programmes, ({ content_id }) => skeleton.row(content_id) ?? noRow)
      this.contents = { rows, known: new Uint8Array(size), skeleton, size }
    }
    return this.contents
  }
}
