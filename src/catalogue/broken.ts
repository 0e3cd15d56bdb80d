import { BSON, ObjectId } from 'mongodb'
import { Kept } from '../kept.js'
import { minutes } from '../time.js'

/** Documents of a collection that cannot be served: some of their ids, and how many they are. */
export type OnBroken = (collection: string, ids: (number | string)[], count: number) => void

const named = 10
const longestName = 100
/** What is still broken is told again after so long. */
const tellAgainAfter = minutes(60)
/** In bytes; some ten thousand documents. */
const remembered = 2 * 1024 * 1024

const textOf = (id: unknown) => {
  if (id instanceof ObjectId) return id.toHexString()
  return typeof id === 'string' ? id : BSON.EJSON.stringify({ id })
}
const nameOf = (id: unknown) => (typeof id === 'number' ? id : textOf(id).slice(0, longestName))

/** Tells of documents that cannot be served, but not at every request or read that passes over them. */
export class Broken {
  private readonly told = new Kept<string, number>(remembered, () => 0)

  constructor(private readonly tell: OnBroken) {}

  report(collection: string, ids: unknown[]) {
    const now = Date.now()
    const names = ids.map(nameOf)
    const isNews = names.map(name => this.isNews(`${collection} ${name}`, now))
    if (isNews.includes(true)) this.tell(collection, names.slice(0, named), ids.length)
  }

  /** The documents that can be served: one that cannot takes no other away. */
  without<Document extends { _id: unknown }>(collection: string, documents: Document[], isServable: (document: Document) => boolean) {
    const servable: Document[] = []
    const broken: unknown[] = []
    for (const document of documents) {
      if (isServable(document)) servable.push(document)
      else broken.push(document._id)
    }
    this.report(collection, broken)
    return servable
  }

  private isNews(key: string, now: number) {
    if (now - (this.told.get(key) ?? 0) < tellAgainAfter) return false
    this.told.put(key, now)
    return true
  }
}
