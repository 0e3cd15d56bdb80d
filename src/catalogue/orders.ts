import type { orderFields } from '../../schemas/contents-query.js'
import type { Skeleton } from './skeleton.js'

type OrderField = (typeof orderFields)[number]
export type Direction = 'ASC' | 'DESC'
export type Order = readonly [OrderField, Direction]

export const defaultOrder: Order = ['weight', 'DESC']

type Compare = (a: number, b: number) => number

/** Breaks ties by id, so that no content appears on two pages or on none. */
export const comparison = (skeleton: Skeleton, [field, direction]: Order): Compare => {
  const { id, starts, created, weight, name } = skeleton
  const sign = direction === 'DESC' ? -1 : 1
  const byId: Compare = (a, b) => sign * (id.raw(a) - id.raw(b))

  const fields: Record<OrderField, Compare> = {
    start_date: (a, b) => sign * (starts.raw(a) - starts.raw(b)) || byId(a, b),
    created_at: (a, b) => sign * (created.raw(a) - created.raw(b)) || byId(a, b),
    name: (a, b) => {
      const [one = '', other = ''] = [name[a], name[b]]
      return one === other ? byId(a, b) : one < other ? -sign : sign
    },
    // Contents without a weight come last in both directions. Of equal weights, the newest comes first in both.
    weight: (a, b) => {
      const [one, other] = [weight.get(a), weight.get(b)]
      if (one !== other) return one === null ? 1 : other === null ? -1 : sign * (one - other)
      return starts.raw(b) - starts.raw(a) || byId(a, b)
    }
  }
  return fields[field]
}

/** All rows in each requested order. Sorted again when the skeleton has changed. */
export class Orders {
  private readonly sorted = new Map<string, { rows: number[]; version: number }>()

  constructor(private readonly skeleton: Skeleton) {}

  rows(order: Order): readonly number[] {
    const cached = this.sorted.get(order.join())
    if (cached?.version === this.skeleton.version) return cached.rows
    const rows = cached?.rows ?? []
    for (let row = rows.length; row < this.skeleton.size; row++) rows.push(row)
    // The rows are almost sorted after a small change, which makes the engine's sort little more than one pass.
    rows.sort(comparison(this.skeleton, order))
    this.sorted.set(order.join(), { rows, version: this.skeleton.version })
    return rows
  }
}
