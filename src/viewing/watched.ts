import { type Audience, isAvailable } from '../catalogue/audience.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { markedRows, type RowFilter } from '../catalogue/columns.js'
import type { Only } from '../catalogue/contents.js'
import type { Completed } from './history-columns.js'

type Sources = Pick<Catalogue, 'skeleton' | 'tree'>

/** What the viewer has watched, or everything else. The filter is made when it is first used, and again when the skeleton is replaced. */
export const onlyWatched = (catalogue: Catalogue, { digest, completed }: Completed, isWatched: boolean, audience: Audience): Only => {
  let latest: { skeleton: Catalogue['skeleton']; filter: RowFilter } | undefined
  const among = () => {
    const { skeleton } = catalogue
    if (latest?.skeleton !== skeleton) {
      const marks = watchedMarks(catalogue, completed(), audience)
      latest = { skeleton, filter: markedRows(isWatched ? marks : marks.map(mark => 1 - mark)) }
    }
    return latest.filter
  }
  return { digest: `${digest} ${isWatched}`, among }
}

/** Marks what was completed, and each season and show whose available episodes all were. */
const watchedMarks = ({ skeleton, tree }: Sources, completed: readonly number[], audience: Audience) => {
  const { type } = skeleton
  const isWhole = (row: number) => type.get(row) === 'season' || type.get(row) === 'show'
  const marks = new Uint8Array(skeleton.size)
  const parents = new Set<number>()
  for (const id of completed) {
    const row = skeleton.currentRow(id)
    if (row === undefined || isWhole(row)) continue
    marks[row] = 1
    const parent = skeleton.parentRow(row)
    if (parent !== undefined) parents.add(parent)
  }
  const now = Date.now()
  const isWatched = (whole: number) => {
    const open = [...tree.episodes(whole)].filter(row => isAvailable(skeleton, row, now, audience))
    return open.length > 0 && open.every(row => marks[row] === 1)
  }
  for (const above of new Set([...parents].flatMap(parent => [parent, ...tree.above(parent)])))
    if (isWhole(above)) marks[above] = isWatched(above) ? 1 : 0
  return marks
}
