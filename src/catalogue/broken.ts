import { BSON, ObjectId } from 'mongodb'
import { minutes } from '../time.js'

/** Documents of a collection that cannot be served: some of their ids, and how many they are. */
export type OnBroken = (collection: string, ids: (number | string)[], count: number) => void

const named = 10
const longestName = 100
/** What is still broken is told again after so long. */
const tellAgainAfter = minutes(60)
const remembered = 10_000

const textOf = (id: unknown) => {
  if (id instanceof ObjectId) return id.toHexString()
  return typeof id === 'string' ? id : BSON.EJSON.stringify({ id })
}
const nameOf = (id: unknown) => (typeof id === 'number' ? id : textOf(id).slice(0, longestName))

/** Tells of documents that cannot be served, but not at every request or read that passes over them. */
export class Broken {
  private readonly told = new Map<string, number>()

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
    if (this.told.size >= remembered) this.told.clear()
    this.told.set(key, now)
    return true
  }
}
