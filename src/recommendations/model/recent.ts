import type { Interactions } from './interactions.js'
import { grouped } from './sparse-matrix.js'

/** In days. The views of an item in each of these periods are features. */
export const periods = [7, 30, 90, 365]

/** The recent views of an item, for each period. */
export type RecentOf = (item: number) => number[]

/** The views of all items in each period up to the newest day, item by item. Without days, all are 0. */
export const recentViews = ({ itemCount, items, days = new Uint16Array(0) }: Interactions) => {
  const views = new Float32Array(itemCount * periods.length)
  const newest = days.reduce((latest, day) => Math.max(latest, day), 0)
  days.forEach((day, at) => {
    const first = (items[at] as number) * periods.length
    periods.forEach((period, nth) => {
      if (day > newest - period) views[first + nth] = (views[first + nth] as number) + 1
    })
  })
  return views
}

/** The days of the views of each item, to look up how popular it was on any day. */
export class ViewsByDay {
  private readonly starts: Uint32Array
  private readonly days: Uint16Array

  /** Without days, all views were long ago. */
  constructor({ itemCount, items, days = new Uint16Array(items.length) }: Interactions) {
    const { starts, positions } = grouped(items, itemCount)
    this.starts = starts
    this.days = Uint16Array.from(positions, at => days[at] as number)
    for (let item = 0; item < itemCount; item++) this.days.subarray(starts[item], starts[item + 1]).sort()
  }

  /** The views in each period before a day. Views on the day itself may have been later. */
  before(day: number): RecentOf {
    return item => {
      const end = this.firstSince(day, item)
      return periods.map(period => end - this.firstSince(day - period, item))
    }
  }

  private firstSince(day: number, item: number) {
    let low = this.starts[item] as number
    let high = this.starts[item + 1] as number
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.days[middle] as number) < day) low = middle + 1
      else high = middle
    }
    return low
  }
}
