export interface Scored {
  item: number
  score: number
}

const isBetter = (item: number, score: number, other: Scored) => score > other.score || (score === other.score && item < other.item)

/** Keeps the best of the offered items, sorted. Ties go to the lower item. */
export class Best {
  readonly taken: Scored[] = []
  /** Items with a lower score need not be offered. */
  least = 0

  constructor(private readonly count: number) {}

  offer(item: number, score: number) {
    const { taken, count } = this
    let place = taken.length
    while (place > 0 && isBetter(item, score, taken[place - 1] as Scored)) place--
    if (place === count) return
    if (taken.length === count) taken.pop()
    taken.splice(place, 0, { item, score })
    if (taken.length === count) this.least = (taken[count - 1] as Scored).score
  }
}
