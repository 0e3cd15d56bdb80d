import type { HomeQuery, HomeRow } from '../../../schemas/home.js'
import type { Audience } from '../../catalogue/audience.js'
import { jsonParts } from '../../catalogue/bytes.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import type { Order } from '../../catalogue/listing.js'
import type { RailContents } from '../../catalogue/rails.js'
import { toRail } from '../../data/rail-collections.js'
import type { Popular } from '../../recommendations/serving/popular.js'
import type { ReadyRows } from './ready-rows.js'
import { type PlannedRow, plainItem, type Row } from './row.js'

const newestFirst: Order = ['start_date', 'DESC']

/** A request for a start page. */
export interface HomeRequest extends HomeQuery {
  audience: Audience
  /** Nothing of the answer is shown to anybody. */
  isHead?: boolean
}

const titlesOf = function* ({ listing, tree }: Catalogue, audience: Audience) {
  for (const content of listing.open(newestFirst, audience, Date.now())) if (tree.title(content) === content) yield content
}

/** The first titles that are not in `taken`. Adds them to it. */
const takeFirst = (titles: Iterable<number>, count: number, taken: Set<number>) => {
  const first: number[] = []
  for (const title of titles) {
    if (taken.has(title)) continue
    taken.add(title)
    if (first.push(title) === count) break
  }
  return first
}

/** Leaves out the titles in `taken`, and adds its own. */
export const popularAndNew = (
  catalogue: Catalogue,
  popular: Popular,
  { items, audience }: HomeRequest,
  basePath: string,
  taken: Set<number>
): PlannedRow[] => {
  const { skeleton } = catalogue
  const shown = (titles: Iterable<number>) => takeFirst(titles, items, taken).map(title => plainItem(skeleton.idOf(title)))
  return [
    { kind: 'popular', more: null, items: shown(popular.titles(audience, Date.now())) },
    { kind: 'new', more: `${basePath}/contents?order_by=start_date`, items: shown(titlesOf(catalogue, audience)) }
  ]
}

export const railRows = async (
  contents: RailContents,
  readyRows: ReadyRows,
  { items, rails, collection, audience }: HomeRequest,
  basePath: string
): Promise<Row[]> => {
  const filled = await contents.first(collection, rails, audience)
  return filled.map(({ rail, ids, key }) => {
    const rowKey = `${key} ${items}`
    const ready = readyRows.get(rowKey, ids)
    if (ready) return { ready: jsonParts<HomeRow>([ready]) }
    const { name, endpoint } = toRail(rail, `${basePath}/contents`)
    return {
      kind: 'rail',
      name,
      more: endpoint,
      items: [...ids.slice(0, items)].map(plainItem),
      keep: bytes => readyRows.put(rowKey, ids, bytes)
    }
  })
}
