import { BSON, ObjectId } from 'mongodb'
import { Cache } from '../cache.js'
import { minutes } from '../time.js'

/** `ids` are the first of `count` documents that cannot be served. */
export type OnBroken = (collection: string, ids: (number | string)[], count: number) => void

const idsShown = 10
const longestId = 100
const repeatAfter = minutes(60)
/** Enough for about ten thousand documents. */
const cacheBytes = 2 * 1024 * 1024

const textOf = (id: unknown) => {
  if (id instanceof ObjectId) return id.toHexString()
  return typeof id === 'string' ? id : BSON.EJSON.stringify({ id })
}
const nameOf = (id: unknown) => (typeof id === 'number' ? id : textOf(id).slice(0, longestId))

/** Reports documents that cannot be served, each at most once an hour. */
export class BrokenDocuments {
  private readonly reportedAt = new Cache<string, number>(cacheBytes, () => 0)

  constructor(private readonly onBroken: OnBroken) {}

  report(collection: string, ids: unknown[]) {
    const now = Date.now()
    const names = ids.map(nameOf)
    // Not `some`, which would stop at the first document and leave the others due.
    const claims = names.map(name => this.claimReport(`${collection} ${name}`, now))
    if (claims.includes(true)) this.onBroken(collection, names.slice(0, idsShown), ids.length)
  }

  /** Drops the documents that cannot be served, and reports them. */
  keepServable<Document extends { _id: unknown }>(collection: string, documents: Document[], isServable: (document: Document) => boolean) {
    const servable: Document[] = []
    const broken: unknown[] = []
    for (const document of documents) {
      if (isServable(document)) servable.push(document)
      else broken.push(document._id)
    }
    this.report(collection, broken)
    return servable
  }

  /** Whether a report is due. If so, the next one is not due for an hour. */
  private claimReport(key: string, now: number) {
    if (now - (this.reportedAt.get(key) ?? 0) < repeatAfter) return false
    this.reportedAt.put(key, now)
    return true
  }
}
