import type { PageQuery } from '../../schemas/page.js'
import type { Audience } from './audience.js'
import { isOpen } from './availability.js'
import { Channels } from './channels.js'
import { DictionaryColumn } from './dictionary-column.js'
import { firstWhere } from './first-where.js'
import type { Programme } from './programmes.js'
import { type Selection, select } from './selection.js'
import type { Skeleton } from './skeleton.js'

/** The row of a content that the skeleton does not have. */
const noRow = -1

/** Selects what overlaps a time window. If `from` equals `to`, that is what is on at that moment. */
export interface ScheduleFilter {
  from: number
  to: number
  channel?: string[] | undefined
}

/** The programmes of all channels, one row each, sorted by start. */
export class Schedule {
  readonly channels: Channels
  private readonly rows: Int32Array
  private readonly channel = new DictionaryColumn<string>()
  private readonly starts: Float64Array
  private readonly ends: Float64Array
  /** For each programme, when it and all before it have ended. */
  private readonly allEnded: Float64Array
  private contents: { rows: Int32Array; skeleton: Skeleton; size: number } | undefined

  /** `programmes` must be sorted by start. */
  constructor(private readonly programmes: Programme[]) {
    this.channels = new Channels(programmes)
    this.rows = Int32Array.from(programmes, (_, row) => row)
    this.starts = Float64Array.from(programmes, ({ starts }) => starts)
    this.ends = Float64Array.from(programmes, ({ ends }) => ends)
    let latest = Number.NEGATIVE_INFINITY
    this.allEnded = this.ends.map(ends => {
      latest = Math.max(latest, ends)
      return latest
    })
    programmes.forEach(({ channel }, row) => void this.channel.set(row, channel, channel))
  }

  get(row: number) {
    return this.programmes[row] as Programme
  }

  /** One page of the programmes that overlap the window and show an open content. */
  page(skeleton: Skeleton, { from, to, channel }: ScheduleFilter, audience: Audience, now: number, page: PageQuery): Selection {
    const { length } = this.programmes
    const until = Math.max(to, from + 1)
    const first = firstWhere(length, row => (this.allEnded[row] as number) > from)
    const end = firstWhere(length, row => (this.starts[row] as number) >= until)
    const contents = this.contentsIn(skeleton)
    const isShown = (row: number) => {
      const content = contents[row] as number
      return (this.ends[row] as number) > from && content !== noRow && isOpen(skeleton, content, now, audience)
    }
    return select(this.rows.subarray(first, end), channel ? [this.channel.anyOf(channel)] : [], page, isShown)
  }

  /** The skeleton rows of the programmes' contents. Rows keep their numbers, so only a new content changes the result. */
  private contentsIn(skeleton: Skeleton) {
    const { size } = skeleton
    if (this.contents?.skeleton !== skeleton || this.contents.size !== size) {
      const rows = Int32Array.from(this.programmes, ({ content_id }) => skeleton.row(content_id) ?? noRow)
      this.contents = { rows, skeleton, size }
    }
    return this.contents.rows
  }
}
