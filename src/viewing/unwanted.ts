import { Cache } from '../cache.js'

/** In bytes. Enough for some 17,000 viewers with 20 titles each. */
const cacheSize = 8 * 1024 * 1024
/** Bytes of an array besides its numbers. */
const overhead = 200

/**
 * The ids of titles that viewers have hidden or disliked, as far as this process knows. For start pages while the database is unavailable.
 */
export class Unwanted {
  private readonly byUser = new Cache<number, Float64Array>(cacheSize, ({ byteLength }) => overhead + byteLength)

  of(user: number): Iterable<number> {
    return this.byUser.get(user) ?? []
  }

  /** Stores all titles of a user, as they were read. */
  keep(user: number, titles: number[]) {
    if (titles.length > 0) this.byUser.set(user, Float64Array.from(titles))
    else this.byUser.delete(user)
  }

  /** Adds a title that was hidden or disliked since. One that is wanted again stays until the next `keep`. */
  add(user: number, title: number) {
    this.keep(user, [...new Set([...this.of(user), title])])
  }
}
