import type { PageQuery } from '../../schemas/page.js'
import type { ProgrammeDocument } from '../data/programmes.js'
import { isOpen } from './availability.js'
import { Coded } from './coded.js'
import type { Country } from './country.js'
import { type Selection, select } from './selection.js'
import { isServable } from './servable.js'
import type { Skeleton } from './skeleton.js'

export interface Programme {
  id: number
  channel: string
  starts: number
  ends: number
  content_id: number
}

/** In the order of their beginnings. */
export const readProgrammes = async (
  documents: AsyncIterable<ProgrammeDocument>,
  onBroken: (ids: unknown[]) => void
): Promise<Programme[]> => {
  const programmes: Programme[] = []
  const broken: unknown[] = []
  for await (const programme of documents) {
    if (!isServable.programmes(programme)) {
      broken.push(programme._id)
      continue
    }
    const { _id, channel, starts_at, ends_at, content_id } = programme
    programmes.push({ id: _id, channel, starts: starts_at.getTime(), ends: ends_at.getTime(), content_id })
  }
  onBroken(broken)
  return programmes.sort((a, b) => a.starts - b.starts || a.id - b.id)
}

/** The first of so many numbers for which it is true, where it is true of all after it. */
const firstOf = (count: number, isTrue: (n: number) => boolean) => {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isTrue(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** No row. */
const unknown = -1

/** From a moment to another one; of a single moment what is on then. */
export interface Window {
  from: number
  to: number
  channel?: string[]
}

/** What the channels show, a row each in the order of the beginnings. */
export class Schedule {
  private readonly rows: Int32Array
  private readonly channel = new Coded<string>()
  private readonly starts: Float64Array
  private readonly ends: Float64Array
  /** When a programme and all before it are over. */
  private readonly over: Float64Array
  private contents: { rows: Int32Array; skeleton: Skeleton; size: number } | undefined

  /** `programmes` in the order of their beginnings. */
  constructor(private readonly programmes: Programme[]) {
    this.rows = Int32Array.from(programmes, (_, row) => row)
    this.starts = Float64Array.from(programmes, ({ starts }) => starts)
    this.ends = Float64Array.from(programmes, ({ ends }) => ends)
    let over = Number.NEGATIVE_INFINITY
    this.over = this.ends.map(ends => {
      over = Math.max(over, ends)
      return over
    })
    programmes.forEach(({ channel }, row) => void this.channel.set(row, channel, channel))
  }

  get(row: number) {
    return this.programmes[row] as Programme
  }

  /** One page of what overlaps a window and shows an open content. */
  page(skeleton: Skeleton, { from, to, channel }: Window, country: Country, now: number, page: PageQuery): Selection {
    const { length } = this.programmes
    const until = Math.max(to, from + 1)
    const first = firstOf(length, row => (this.over[row] as number) > from)
    const end = firstOf(length, row => (this.starts[row] as number) >= until)
    const contents = this.contentsIn(skeleton)
    const isShown = (row: number) => {
      const content = contents[row] as number
      return (this.ends[row] as number) > from && content !== unknown && isOpen(skeleton, content, now, country)
    }
    return select(this.rows.subarray(first, end), channel ? [this.channel.anyOf(channel)] : [], page, isShown)
  }

  /** The rows of the contents, looked up once: a row keeps its number, so only a content that is new can make a difference. */
  private contentsIn(skeleton: Skeleton) {
    const { size } = skeleton
    if (this.contents?.skeleton !== skeleton || this.contents.size !== size) {
      const rows = Int32Array.from(this.programmes, ({ content_id }) => skeleton.row(content_id) ?? unknown)
      this.contents = { rows, skeleton, size }
    }
    return this.contents.rows
  }
}
