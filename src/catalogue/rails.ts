import { ContentsQuery } from '../../schemas/contents-query.js'
import { longestShelf } from '../../schemas/home.js'
import type { RailCollectionsQuery } from '../../schemas/rail-collection.js'
import { onPage, pageMeta } from '../http/reply.js'
import { compileValidator } from '../http/validation.js'
import { ValidCache } from './answers.js'
import { type Audience, segmentOf } from './audience.js'
import { pageAnswer, partsOf } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { selectContents } from './contents.js'
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

const validate = compileValidator({ schema: ContentsQuery, httpPart: 'querystring' })

/** Undefined if GET /contents would refuse the query. */
const read = (query: RailDocument['query']) => {
  const { value } = validate(withinLimits(query))
  return value as ContentsQuery | undefined
}

/** A rail and the ids of its first contents that are open. */
interface FilledRail {
  rail: RailDocument
  ids: Float64Array
  /** The cache key of the list. */
  key: string
}

/** The first contents of rails. */
export class RailContents {
  private readonly lists = new ValidCache<Float64Array>(listsSize, ({ byteLength }) => byteLength)

  constructor(private readonly catalogue: Catalogue) {}

  /** The first rails with contents for this audience. With `mname`, only those of the collections with this name. */
  async first(mname: string | undefined, count: number, audience: Audience): Promise<FilledRail[]> {
    const filled: FilledRail[] = []
    for (const { _id, rails } of this.named(mname)) {
      for (const rail of rails) {
        if (filled.length === count) return filled
        const key = `${_id} ${rail.id} ${segmentOf(this.catalogue.skeleton, audience)}`
        const ids = await this.idsOf(rail, key, audience)
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

  private idsOf({ query }: RailDocument, key: string, audience: Audience) {
    const { version, skeleton, search, listing, pacer } = this.catalogue
    const now = Date.now()
    const validity = { version: `${version} ${skeleton.version} ${search.version}`, now, until: () => listing.validUntil(now) }
    const make = async () => {
      const asked = read(query)
      // On a start page, a rail is not paged.
      const firstPage = asked && { ...asked, page: 1, perPage: longestShelf }
      const first = firstPage && (await selectContents(this.catalogue, firstPage, audience, () => pacer.pause()))
      return { value: Float64Array.from(first?.ids ?? []), isKept: true }
    }
    return this.lists.get(key, validity, make, job => pacer.run(job))
  }
}
