import type { ContentBones } from '../data/contents.js'
import { fold } from '../words.js'
import { Numbers } from './numbers.js'

const never = Number.POSITIVE_INFINITY

/**
 * What every process knows of every content without asking: a row each, in columns, since 100,000 objects would take
 * twice the room. A row keeps its number for as long as the skeleton lives.
 */
export class Skeleton {
  private readonly rows = new Map<number, number>()
  private readonly shared = new Map<string, readonly unknown[]>()

  readonly id = new Numbers()
  readonly parent = new Numbers()
  readonly weight = new Numbers()
  readonly position = new Numbers()
  readonly starts = new Numbers()
  readonly ends = new Numbers()
  readonly created = new Numbers()
  readonly stamp = new Numbers()
  readonly type: string[] = []
  /** As it sorts: without case and accents. */
  readonly name: string[] = []
  readonly terms: (readonly number[])[] = []
  readonly include: (readonly string[] | null)[] = []
  readonly exclude: (readonly string[] | null)[] = []

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

  /** Whether it knows the same contents in the same state. */
  isLike(other: Skeleton) {
    if (this.size !== other.size) return false
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
    this.parent.set(row, content.parent_id)
    this.weight.set(row, content.weight)
    this.position.set(row, content.position)
    this.starts.set(row, content.start_date.getTime())
    // What is deleted has ended before time began: one comparison less wherever openness is asked.
    this.ends.set(row, content.deleted_at ? -never : (content.end_date?.getTime() ?? never))
    this.created.set(row, content.created_at.getTime())
    this.stamp.set(row, stamp)
    this.type[row] = this.share(content.type)
    this.name[row] = fold(content.name)
    this.terms[row] = this.shareList(content.terms)
    this.include[row] = this.shareCountries(content.countries_include)
    this.exclude[row] = this.shareCountries(content.countries_exclude)
    this.latestStamp = Math.max(this.latestStamp, stamp)
    this.version++
  }

  /** Shows a content to nobody, until it is written or read anew: the database has no whole one of this id. */
  close(id: number) {
    const row = this.rows.get(id)
    if (row === undefined || this.stamp.get(row) === null) return
    this.ends.set(row, -never)
    // Of no moment, so that every comparison finds it changed.
    this.stamp.set(row, null)
    this.version++
  }

  /** Types and lists are few and repeated: each is kept once. */
  private share(text: string) {
    return this.shareList([text])[0] as string
  }

  private shareCountries(codes: readonly string[] | null) {
    return codes && this.shareList(codes.map(code => code.toUpperCase()))
  }

  private shareList<T>(list: readonly T[]) {
    const key = JSON.stringify(list)
    const kept = this.shared.get(key) ?? list
    this.shared.set(key, kept)
    return kept as readonly T[]
  }
}
