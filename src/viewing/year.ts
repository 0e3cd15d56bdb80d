import type { TitleOfYear, Year } from '../../schemas/plays.js'
import type { IsShown } from '../catalogue/audience.js'
import { jsonParts, list, okBytes } from '../catalogue/bytes.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { contentThen } from '../catalogue/fragments.js'
import type { Pause } from '../catalogue/search/index.js'
import { days, minutes, seconds } from '../time.js'
import { withContents } from './viewer-bytes.js'

/** How many titles and terms are listed. */
const mostNamed = 10
/** How many plays are added between two pauses: a fraction of a millisecond. */
const step = 2048
/** More than the offset of any time zone from UTC. */
const farthest = days(1)

interface Plays {
  content_ids: number[]
  moments: number[]
}

/**
 * Counts plays and adds up the durations of their items, in milliseconds, because sums of fractions are not exact. Only the sum is rounded.
 */
class Sum {
  plays = 0
  private length = 0

  add(milliseconds: number) {
    this.plays++
    this.length += milliseconds
  }

  join({ plays, length }: Sum) {
    this.plays += plays
    this.length += length
  }

  get minutes() {
    return Math.min(Math.floor(this.length / minutes(1)), Number.MAX_SAFE_INTEGER)
  }
}

/** Covers the year in every time zone. */
export const aroundYear = (year: number) => ({
  from: new Date(Date.UTC(year, 0, 1) - farthest),
  to: new Date(Date.UTC(year + 1, 0, 1) + farthest)
})

/** Returns a function from a moment to its month in the time zone, from 0. Undefined outside the year. */
const monthsOf = (year: number, timeZone: string) => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric' })
  const monthAt = (moment: number) => {
    const [month, ofYear] = format.format(moment).split('/').map(Number)
    return ofYear === year ? (month as number) - 1 : undefined
  }
  // Away from the ends of a month, the month is the same everywhere. When clocks go back, the end of a month may even repeat.
  const first = Date.UTC(year, 0, 1)
  const sure = Array.from({ length: 365 }, (_, n) => {
    const date = new Date(first + days(n))
    return date.getUTCDate() > 2 && date.getUTCDate() < 27 ? date.getUTCMonth() : undefined
  })
  // Formatting takes much longer.
  return (moment: number) => sure[Math.floor((moment - first) / days(1))] ?? monthAt(moment)
}

/** Returns the first difference that decides an order. */
const inOrder = (...differences: number[]) => differences.find(difference => difference !== 0) as number

const sumOf = (sums: Map<number, Sum>, id: number) => {
  const known = sums.get(id)
  if (known) return known
  const sum = new Sum()
  sums.set(id, sum)
  return sum
}

type Sources = Pick<Catalogue, 'skeleton' | 'tree' | 'terms'>

interface Wanted {
  year: number
  timezone: string
  isShown?: IsShown | undefined
}

/** Adds up the plays of a year, by month and by title. */
class YearSums {
  readonly all = new Sum()
  readonly months = Array.from({ length: 12 }, () => new Sum())
  /** By row of the skeleton. */
  readonly titles = new Map<number, Sum>()
  /** The ids of contents that the catalogue lacks. Each counts as a title. */
  readonly unknown = new Set<number>()
  private readonly monthOf: ReturnType<typeof monthsOf>
  private readonly isShown: IsShown

  constructor(
    private readonly sources: Sources,
    { year, timezone, isShown = () => true }: Wanted
  ) {
    this.monthOf = monthsOf(year, timezone)
    this.isShown = isShown
  }

  add({ content_ids, moments }: Plays, first: number, end: number) {
    const { skeleton, tree } = this.sources
    for (let i = first; i < Math.min(end, moments.length); i++) {
      const id = content_ids[i] as number
      const month = this.monthOf(moments[i] as number)
      if (month === undefined || !this.isShown(id)) continue
      const row = skeleton.currentRow(id)
      const length = row === undefined ? 0 : Math.round(seconds(skeleton.duration.get(row) ?? 0))
      this.all.add(length)
      this.months[month]?.add(length)
      if (row === undefined) this.unknown.add(id)
      else sumOf(this.titles, tree.title(row)).add(length)
    }
  }
}

const topTitles = ({ skeleton }: Sources, titles: Map<number, Sum>) =>
  Array.from(titles, ([row, { plays, minutes }]) => ({ content_id: skeleton.idOf(row), plays, minutes }))
    .sort((one, other) => inOrder(other.minutes - one.minutes, other.plays - one.plays, one.content_id - other.content_id))
    .slice(0, mostNamed)

const topTerms = ({ skeleton, terms }: Sources, titles: Map<number, Sum>): Year['terms'] => {
  const sums = new Map<number, Sum>()
  for (const [row, sum] of titles) for (const term of skeleton.terms.get(row)) sumOf(sums, term).join(sum)
  return [...sums]
    .flatMap(([id, { minutes }]) => {
      const term = terms.byId(id)
      return term && minutes > 0 ? { id, name: term.name, minutes } : []
    })
    .sort((one, other) => inOrder(other.minutes - one.minutes, one.id - other.id))
    .slice(0, mostNamed)
}

export const yearBytes = async (catalogue: Catalogue, plays: Plays, wanted: Wanted, pause: Pause) => {
  // Titles are rows of this skeleton, which may be replaced during a pause.
  const sources: Sources = { skeleton: catalogue.skeleton, tree: catalogue.tree, terms: catalogue.terms }
  const sums = new YearSums(sources, wanted)
  for (let first = 0; first < plays.moments.length; first += step) {
    sums.add(plays, first, first + step)
    await pause()
  }
  const { all, months, titles } = sums
  const top = await withContents(catalogue, topTitles(sources, titles), ({ plays, minutes }, content) =>
    contentThen<Omit<TitleOfYear, 'content'>>(content, { plays, minutes })
  )
  const counted: Omit<Year, 'top' | 'terms'> = {
    year: wanted.year,
    plays: all.plays,
    minutes: all.minutes,
    titles: titles.size + sums.unknown.size,
    by_month: months.map(({ plays, minutes }) => ({ plays, minutes }))
  }
  const terms = JSON.stringify(topTerms(sources, titles))
  return okBytes(jsonParts<Year>([`${JSON.stringify(counted).slice(0, -1)},"top":`, ...list(top), `,"terms":${terms}}`]))
}
