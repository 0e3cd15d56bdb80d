export interface Scored {
  item: number
  score: number
}

const isBetter = (item: number, score: number, other: Scored) => score > other.score || (score === other.score && item < other.item)

/** The best of what is offered, in order; of equals the lower number. */
export class Best {
  readonly taken: Scored[] = []
  /** What is below is not taken. */
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
