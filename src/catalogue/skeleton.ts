import type { ContentBones } from '../data/contents.js'
import { Coded } from './coded.js'
import type { Country } from './country.js'
import { Numbers } from './numbers.js'
import type { Test } from './selection.js'
import { fold } from './words.js'

const never = Number.POSITIVE_INFINITY

/** Stands for every country that no content names: they all see the same. */
const elsewhere = 'elsewhere'

/**
 * What every process knows of every content without asking: a row each, in columns, since 100,000 objects would take
 * twice the room. A row keeps its number for as long as the skeleton lives.
 */
export class Skeleton {
  private readonly rows = new Map<number, number>()
  /** The numbers of the lists of terms that each term is in. */
  private readonly listsWith = new Map<number, number[]>()
  private readonly countries = new Set<string>()

  readonly id = new Numbers()
  readonly parent = new Coded<number | null>()
  readonly weight = new Numbers()
  readonly position = new Numbers()
  readonly starts = new Numbers()
  readonly ends = new Numbers()
  readonly created = new Numbers()
  readonly stamp = new Numbers()
  readonly type = new Coded<string>()
  /** As it sorts: without case and accents. */
  readonly name: string[] = []
  readonly terms = new Coded<readonly number[]>()
  readonly include = new Coded<readonly string[] | null>()
  readonly exclude = new Coded<readonly string[] | null>()

  /** Rises with every change, so that what was worked out from the rows knows when it is old. */
  version = 0
  latestStamp = 0

  get size() {
    return this.rows.size
  }

  row(id: number) {
    return this.rows.get(id)
  }

  idOf(row: number) {
    return this.id.raw(row)
  }

  hasTerm(term: number) {
    return this.listsWith.has(term)
  }

  /** Passes the rows that have any of these terms. */
  anyTerm(terms: readonly number[]): Test {
    const test = this.terms.anyOf([])
    for (const term of terms) for (const list of this.listsWith.get(term) ?? []) test.marks[list] = 1
    return test
  }

  /** The country as far as it makes a difference. */
  region(country: Country): Country {
    return country === undefined || this.countries.has(country) ? country : elsewhere
  }

  /** Whether it knows the same contents in the same state, and holds no values that the other one has got rid of. */
  isLike(other: Skeleton) {
    if (this.size !== other.size || this.values !== other.values) return false
    for (const [id, row] of this.rows) {
      const their = other.row(id)
      if (their === undefined || other.stamp.raw(their) !== this.stamp.raw(row)) return false
    }
    return true
  }

  put(content: ContentBones) {
    const stamp = content.stamp.getTime()
    const known = this.rows.get(content._id)
    if (known !== undefined && this.stamp.raw(known) === stamp) return
    const row = known ?? this.rows.size
    this.rows.set(content._id, row)
    this.id.set(row, content._id)
    this.parent.set(row, content.parent_id ?? null, content.parent_id ?? null)
    this.weight.set(row, content.weight)
    this.position.set(row, content.position)
    this.starts.set(row, content.start_date.getTime())
    // What is deleted has ended before time began: one comparison less wherever openness is asked.
    this.ends.set(row, content.deleted_at ? -never : (content.end_date?.getTime() ?? never))
    this.created.set(row, content.created_at.getTime())
    this.stamp.set(row, stamp)
    this.type.set(row, content.type, content.type)
    this.name[row] = fold(content.name)
    this.putTerms(row, content.terms ?? [])
    this.putCountries(this.include, row, content.countries_include)
    this.putCountries(this.exclude, row, content.countries_exclude)
    this.latestStamp = Math.max(this.latestStamp, stamp)
    this.version++
  }

  /** Shows a content to nobody until it is written again: the database has no whole one of this id. */
  close(id: number) {
    const row = this.rows.get(id)
    if (row === undefined || this.stamp.get(row) === null) return
    this.ends.set(row, -never)
    // Of no moment, so that every comparison finds it changed.
    this.stamp.set(row, null)
    this.version++
  }

  /** Of all columns that share their values: what no row has any more stays until the skeleton is replaced. */
  private get values() {
    const { parent, type, terms, include, exclude } = this
    return [parent, type, terms, include, exclude].reduce((sum, { size }) => sum + size, 0)
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

  private putCountries(column: Coded<readonly string[] | null>, row: number, codes: readonly string[] | null) {
    const countries = codes?.map(code => code.toUpperCase()) ?? null
    column.set(row, countries?.join() ?? null, countries)
    for (const country of countries ?? []) this.countries.add(country)
  }
}
