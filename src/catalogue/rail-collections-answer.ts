import type { RailCollectionsQuery } from '../../schemas/rail-collection.js'
import { toRail } from '../data/rail-collections.js'
import { onPage, pageMeta } from '../http/reply.js'
import { json, pageAnswer } from './bytes.js'
import type { Catalogue } from './catalogue.js'

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
    return pageAnswer(shown.map(json), pageMeta(query, all.length))
  })
}
