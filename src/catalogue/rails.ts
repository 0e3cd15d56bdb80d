import { RailQuery } from '../../schemas/contents-query.js'
import { longestShelf } from '../../schemas/home.js'
import type { RailCollectionsQuery } from '../../schemas/rail-collection.js'
import { onPage, pageMeta } from '../http/reply.js'
import { compileValidator } from '../http/validation.js'
import type { Audience } from './audience.js'
import { pageAnswer, partsOf } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { type Among, type Only, selectContents } from './contents.js'
import { orderOf } from './listing.js'
import { ValidCache } from './public-responses.js'
import { type RailDocument, toRail, withinLimits } from './rail-collections.js'

/** One page of GET /rail-collections. `contentsUrl` is the absolute URL of GET /contents. */
export const railCollectionsAnswer = (catalogue: Catalogue, query: RailCollectionsQuery, contentsUrl: string) => {
  const { page, perPage } = query
  const key = JSON.stringify(['rails', contentsUrl, query.with !== undefined, page, perPage])
  return catalogue.answer(key, () => {
    const all = catalogue.railCollections
    const shown = onPage(all, query).map(({ _id, rails, ...collection }) => ({
      ...toRail({ id: _id, ...collection }, contentsUrl),
      ...(query.with && { rails: rails.map(rail => toRail(rail, contentsUrl)) })
    }))
    return pageAnswer(shown.map(partsOf), pageMeta(query, all.length))
  })
}

/** In bytes. There is one list for each rail and segment of the audience. */
const listsSize = 4 * 1024 * 1024

const validate = compileValidator({ schema: RailQuery, httpPart: 'querystring' })

/** Undefined if GET /contents would refuse the query. */
const read = (query: RailDocument['query']) => {
  const { value } = validate(withinLimits(query))
  return value as RailQuery | undefined
}

/** A rail and the ids of its first available contents. */
interface FilledRail {
  rail: RailDocument
  ids: Float64Array
  key: string
}

/** The first contents of rails. */
export class RailContents {
  private readonly lists = new ValidCache<Float64Array>(listsSize, ({ byteLength }) => byteLength)

  private readonly queries = new WeakMap<RailDocument, { asked: RailQuery | undefined }>()

  constructor(private readonly catalogue: Catalogue) {}

  /** The first rails with contents for this audience. With `mname`, only those of the collections with this name. */
  async first(mname: string | undefined, count: number, audience: Audience, unwatched?: Only): Promise<FilledRail[]> {
    const filled: FilledRail[] = []
    for (const { _id, rails } of this.named(mname)) {
      for (const rail of rails) {
        if (filled.length === count) return filled
        const asked = this.queryOf(rail)
        if (!asked) continue
        const key = `${_id} ${rail.id} ${this.catalogue.listing.keyOf(orderOf(asked), audience)}`
        const all = await this.idsOf(asked, key, audience)
        const ids = unwatched ? await this.unwatchedOf(all, asked, key, audience, unwatched) : all
        if (ids.length > 0) filled.push({ rail, ids, key })
      }
    }
    return filled
  }

  /** The collections with this name, or all of them. */
  named(mname: string | undefined) {
    const { railCollections } = this.catalogue
    return mname === undefined ? railCollections : railCollections.filter(collection => collection.mname === mname)
  }

  /** Undefined if GET /contents would refuse it. */
  private queryOf(rail: RailDocument) {
    const known = this.queries.get(rail)
    if (known) return known.asked
    const asked = read(rail.query)
    this.queries.set(rail, { asked })
    return asked
  }

  private idsOf(asked: RailQuery, key: string, audience: Audience, among?: Among) {
    const { pacer } = this.catalogue
    const make = async () => {
      // On a start page, a rail is not paged.
      const firstPage = { ...asked, page: 1, perPage: longestShelf, among }
      const { ids } = await selectContents(this.catalogue, firstPage, audience, () => pacer.pause())
      return { value: Float64Array.from(ids), isKept: true }
    }
    return this.lists.get(key, this.catalogue.selectionValidity(), make, job => pacer.run(job))
  }

  /** If none of the first contents is filtered out, they are also the first unwatched ones. */
  private unwatchedOf(all: Float64Array, asked: RailQuery, key: string, audience: Audience, { digest, among }: Only) {
    const { skeleton } = this.catalogue
    const { marks } = among()
    const isLeft = (id: number) => marks[skeleton.row(id) as number] === 1
    return all.every(isLeft) ? all : this.idsOf(asked, `${key} ${digest}`, audience, among)
  }
}
