import { DictionaryColumn, NumberColumn, type RowFilter } from './columns.js'
import { creditsOf, fitsSkeleton, type SkeletonContent } from './content-documents.js'
import { Links } from './links.js'
import { fold } from './search/index.js'

const never = Number.POSITIVE_INFINITY

/**
 * The fields of contents that checks, filters and sorting need, so that these never query the database. One row per item, stored in
 * columns, because 100,000 objects would take twice the memory. A row keeps its number, but a full read may create a new skeleton with
 * other numbers.
 */
export class Skeleton {
  private readonly rows = new Map<number, number>()
  /** For each term, the numbers in `terms` of the lists that contain it. */
  private readonly listsWith = new Map<number, number[]>()
  /** The id that has replaced each earlier id. */
  private readonly successors = new Map<number, number>()
  /** The earlier ids of each item that has any. */
  private readonly earlier = new Map<number, readonly number[]>()
  /** The end dates of replaced contents, which count as deleted meanwhile. */
  private readonly ownEnds = new Map<number, number>()
  /** The distinct countries that contents name. */
  readonly countries = new Set<string>()
  /** The distinct minimum ages that contents have of their own. */
  readonly minAges = new Set<number>()

  readonly id = new NumberColumn()
  readonly parent = new DictionaryColumn<number | null>()
  readonly weight = new NumberColumn()
  readonly position = new NumberColumn()
  readonly duration = new NumberColumn()
  /** When the credits begin, in seconds. */
  readonly credits = new NumberColumn()
  /** Whether any item has ever had a duration, or credits. */
  hasDurations = false
  hasCredits = false
  /** Of the item itself. `isWithinAge` also looks at its ancestors. */
  readonly minAge = new NumberColumn()
  readonly starts = new NumberColumn()
  readonly ends = new NumberColumn()
  readonly created = new NumberColumn()
  readonly stamp = new NumberColumn()
  readonly type = new DictionaryColumn<string>()
  /** Takes no memory as long as no item has a year. */
  readonly year = new DictionaryColumn<number | null>()
  /** Folded (without case and accents), for sorting. */
  readonly name: string[] = []
  readonly terms = new DictionaryColumn<readonly number[]>()
  readonly people = new Links()
  readonly include = new DictionaryColumn<readonly string[] | null>()
  readonly exclude = new DictionaryColumn<readonly string[] | null>()

  /** Incremented with every change, to invalidate what was derived from the rows. */
  version = 0
  /** Replaced by a new object when the mapping of earlier ids changes, to invalidate what was derived from it. */
  idsVersion = {}

  get size() {
    return this.rows.size
  }

  row(id: number) {
    return this.rows.get(id)
  }

  idOf(row: number) {
    return this.id.raw(row)
  }

  /** The id that has replaced an earlier id, or else the id itself. */
  currentId(id: number) {
    return currentIdIn(this.successors, id)
  }

  currentRow(id: number) {
    return this.row(this.currentId(id))
  }

  /** The current id of the item, then its earlier ones, under which viewers may have elements that have not been moved yet. */
  idsOf(id: number): number[] {
    const ids = new Set([this.currentId(id)])
    for (const one of ids) for (const earlier of this.earlier.get(one) ?? []) if (this.rows.has(earlier)) ids.add(earlier)
    return [...ids]
  }

  /** The earlier ids, by current id. */
  replaced() {
    return earlierIdsIn(this.successors)
  }

  hasTerm(term: number) {
    return this.listsWith.has(term)
  }

  /** Passes rows that have any of these terms. */
  anyTerm(terms: readonly number[]): RowFilter {
    const filter = this.terms.anyOf([])
    for (const term of terms) for (const list of this.listsWith.get(term) ?? []) filter.marks[list] = 1
    return filter
  }

  /** Returns a function from a row to the sum of its terms' values. */
  termSums(values: Iterable<readonly [term: number, value: number]>) {
    return this.foldTerms(values, (sum, value) => sum + value, 0)
  }

  /** Returns a function from a row to the folded values of its terms. There are few distinct lists of terms, so each is folded once. */
  foldTerms(values: Iterable<readonly [term: number, value: number]>, fold: (total: number, value: number) => number, none: number) {
    const { terms } = this
    const totals = new Float64Array(terms.size).fill(none)
    for (const [term, value] of values)
      for (const list of this.listsWith.get(term) ?? []) totals[list] = fold(totals[list] as number, value)
    return (row: number) => totals[terms.number(row)] as number
  }

  /** Whether an earlier skeleton can be kept: both have the same contents and stamps, and the earlier one has no unused values. */
  isLike(other: Skeleton) {
    if (this.size !== other.size || this.valueCount !== other.valueCount) return false
    for (const [id, row] of this.rows) {
      const otherRow = other.row(id)
      if (otherRow === undefined || other.stamp.raw(otherRow) !== this.stamp.raw(row)) return false
    }
    return true
  }

  put(content: SkeletonContent) {
    const stamp = content.stamp.getTime()
    const known = this.rows.get(content._id)
    if (known !== undefined && this.stamp.raw(known) === stamp) return
    const row = known ?? this.rows.size
    this.rows.set(content._id, row)
    this.id.set(row, content._id)
    this.parent.set(row, content.parent_id ?? null, content.parent_id ?? null)
    this.weight.set(row, content.weight)
    this.position.set(row, content.position)
    this.putLength(row, content.duration ?? null, creditsOf(content))
    this.putMinAge(row, content.min_age ?? null)
    this.starts.set(row, content.start_date.getTime())
    // A deleted item has an end before all other dates, which saves `isAvailable` a check.
    this.setEnd(row, content.deleted_at ? -never : (content.end_date?.getTime() ?? never))
    this.putEarlier(content._id, content.replaces ?? [])
    this.created.set(row, content.created_at.getTime())
    this.stamp.set(row, stamp)
    this.type.set(row, content.type, content.type)
    this.putYear(row, content.year ?? null)
    this.name[row] = fold(content.name)
    this.putTerms(row, content.terms ?? [])
    this.people.set(row, content.people ?? [])
    this.putCountries(this.include, row, content.countries_include)
    this.putCountries(this.exclude, row, content.countries_exclude)
    this.version++
  }

  /** Leaves out an item until it is written again, because the database has no valid version of it. */
  markBroken(id: number) {
    const row = this.rows.get(id)
    if (row === undefined || this.isBroken(id)) return
    this.setEnd(row, -never)
    // Null differs from every stamp, so any later version is a change.
    this.stamp.set(row, null)
    this.version++
  }

  isBroken(id: number) {
    return this.stampOf(id) === null
  }

  /** Identifies the version of an item. Undefined if it is unknown. */
  stampOf(id: number) {
    const row = this.rows.get(id)
    return row === undefined ? undefined : this.stamp.get(row)
  }

  /** The duration, and when the credits begin, in seconds, as far as they are known. */
  lengthOf(id: number) {
    const row = this.row(id)
    if (row === undefined) return {}
    return { duration: this.duration.get(row) ?? undefined, credits: this.credits.get(row) ?? undefined }
  }

  parentRow(row: number) {
    const parent = this.parent.get(row)
    return parent === null ? undefined : this.row(parent)
  }

  /** How many values the dictionary columns and links store. A value that no row has any longer counts until the skeleton is replaced. */
  private get valueCount(): number {
    const parts: unknown[] = Object.values(this)
    return parts.reduce<number>((sum, part) => (part instanceof DictionaryColumn || part instanceof Links ? sum + part.size : sum), 0)
  }

  private putLength(row: number, duration: number | null, credits: number | null) {
    this.duration.set(row, duration)
    this.credits.set(row, credits)
    this.hasDurations ||= duration !== null
    this.hasCredits ||= credits !== null
  }

  private putMinAge(row: number, age: number | null) {
    this.minAge.set(row, age)
    if (age !== null) this.minAges.add(age)
  }

  private setEnd(row: number, own: number) {
    const id = this.idOf(row)
    const isReplaced = this.successors.has(id)
    if (isReplaced) this.ownEnds.set(id, own)
    else this.ownEnds.delete(id)
    this.ends.set(row, isReplaced ? -never : own)
  }

  private putEarlier(id: number, earlier: readonly number[]) {
    const before = this.earlier.get(id) ?? []
    if (before.join() === earlier.join()) return
    this.idsVersion = {}
    for (const one of before) if (this.successors.get(one) === id) this.setSuccessor(one, undefined)
    for (const one of earlier) this.setSuccessor(one, id)
    if (earlier.length > 0) this.earlier.set(id, earlier)
    else this.earlier.delete(id)
  }

  private setSuccessor(id: number, successor: number | undefined) {
    if (successor === undefined) this.successors.delete(id)
    else this.successors.set(id, successor)
    const row = this.row(id)
    if (row !== undefined) this.setEnd(row, this.ownEnds.get(id) ?? this.ends.raw(row))
  }

  private putYear(row: number, year: number | null) {
    if (year === null && this.year.size === 0) return
    // Earlier rows have the first value.
    if (this.year.size === 0) this.year.set(0, null, null)
    this.year.set(row, year, year)
  }

  private putTerms(row: number, terms: readonly number[]) {
    const list = this.terms.set(row, terms.join(), terms)
    if (list === undefined) return
    for (const term of terms) {
      const lists = this.listsWith.get(term)
      if (lists) lists.push(list)
      else this.listsWith.set(term, [list])
    }
  }

  private putCountries(column: DictionaryColumn<readonly string[] | null>, row: number, codes: readonly string[] | null) {
    const countries = codes?.map(code => code.toUpperCase()) ?? null
    column.set(row, countries?.join() ?? null, countries)
    for (const country of countries ?? []) this.countries.add(country)
  }
}

/** For commands and the training, which read the catalogue once. */
export const skeletonOf = async (contents: AsyncIterable<SkeletonContent>) => {
  const skeleton = new Skeleton()
  for await (const content of contents) if (fitsSkeleton(content)) skeleton.put(content)
  return skeleton
}

/** Follows earlier ids to the current one. */
export const currentIdIn = (successors: ReadonlyMap<number, number>, id: number) => {
  let current = id
  // Only other software can write a cycle.
  for (let steps = 0; steps < successors.size; steps++) {
    const next = successors.get(current)
    if (next === undefined || next === id) break
    current = next
  }
  return current
}

/** The earlier ids, by current id. */
export const earlierIdsIn = (successors: ReadonlyMap<number, number>) => {
  const replaced = new Map<number, number[]>()
  for (const earlier of successors.keys()) {
    const current = currentIdIn(successors, earlier)
    const others = replaced.get(current)
    if (others) others.push(earlier)
    else replaced.set(current, [earlier])
  }
  return replaced
}

/** Caches what is made from a skeleton until an item changes. */
export const derived = <T>(make: (skeleton: Skeleton) => T) => {
  const cached = new WeakMap<Skeleton, { value: T; version: number }>()
  return (skeleton: Skeleton) => {
    const { version } = skeleton
    const known = cached.get(skeleton)
    if (known?.version === version) return known.value
    const value = make(skeleton)
    cached.set(skeleton, { value, version })
    return value
  }
}
