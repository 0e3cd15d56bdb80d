import type { Interactions } from './interactions.js'

export const viewCounts = ({ itemCount, items }: Pick<Interactions, 'itemCount' | 'items'>) => {
  const views = new Uint32Array(itemCount)
  for (const item of items) views[item] = (views[item] as number) + 1
  return views
}

/** The items sorted by their number of viewers, the most popular first. Ties go to the lower item. */
export const byPopularity = (data: Interactions) => {
  const views = viewCounts(data)
  return new Uint32Array(data.itemCount).map((_, item) => item).sort((a, b) => (views[b] as number) - (views[a] as number) || a - b)
}

/** The first `count` accepted items. */
export const firstOf = (order: Uint32Array, count: number, accepts: (item: number) => boolean) => {
  const first: number[] = []
  for (let at = 0; at < order.length && first.length < count; at++) {
    const item = order[at] as number
    if (accepts(item)) first.push(item)
  }
  return first
}
