import { Skeleton } from '../../catalogue/skeleton.js'
import { Tree } from '../../catalogue/tree.js'
import { isWhole } from '../../catalogue/whole-content.js'
import type { Data } from '../../data/index.js'
import { Growing, type Interactions } from '../model/index.js'
import { type InterestSettings, interestOf } from '../serving/interest.js'

export interface Events {
  interactions: Interactions
  /** The content of each item. */
  ids: Float64Array
}

/** What all users watched, as the model has it: its items are titles, and what was watched of a show counts for the show. */
export const readEvents = async (
  { contents, history }: Pick<Data, 'contents' | 'history'>,
  settings: InterestSettings,
  onProgress: (read: number) => void
): Promise<Events> => {
  const skeleton = new Skeleton()
  for await (const content of contents.bones()) if (isWhole(content)) skeleton.put(content)
  const tree = new Tree(skeleton)

  const itemOf = new Map<number, number>()
  const ids: number[] = []
  const items = new Growing(new Uint32Array(1024))
  const weights = new Growing(new Float32Array(1024))
  const starts = new Growing(new Uint32Array(1024))
  starts.push(0)

  /** The titles of the user who is being read, the newest first, and the most interest that an element of each tells of. */
  const titles = new Map<number, number>()
  let user: number | undefined
  const close = () => {
    if (titles.size === 0) return
    for (const [title, weight] of [...titles].reverse()) {
      let item = itemOf.get(title)
      if (item === undefined) {
        item = ids.push(skeleton.idOf(title)) - 1
        itemOf.set(title, item)
      }
      items.push(item)
      weights.push(weight)
    }
    starts.push(items.size)
    titles.clear()
  }

  let read = 0
  for await (const { user_id, content_id, time, percentage } of history.everything()) {
    if (user_id !== user) {
      close()
      user = user_id
    }
    if (++read % 10_000 === 0) onProgress(read)
    const row = skeleton.row(content_id)
    const interest = interestOf(time, percentage, settings)
    // Of an element whose numbers are none, the interest is none either.
    if (row === undefined || !(interest > 0)) continue
    const title = tree.title(row)
    titles.set(title, Math.max(titles.get(title) ?? 0, interest))
  }
  close()

  return {
    interactions: { itemCount: ids.length, starts: starts.all, items: items.all, weights: weights.all },
    ids: Float64Array.from(ids)
  }
}
