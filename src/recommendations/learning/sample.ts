import { Growing, type Interactions, randomFrom } from '../model/index.js'

interface WeightedIds {
  /** The oldest first. */
  ids: number[]
  weights: number[]
}

/** A random sample of users with at most `maxEvents` events. Histories are added one by one: together they may not fit into memory. */
export class Sample {
  private histories: WeightedIds[] = []
  private events = 0
  private share = 1
  private readonly random: () => number

  constructor(
    private readonly maxEvents: number,
    seed = 1
  ) {
    this.random = randomFrom(seed)
  }

  add(history: WeightedIds) {
    if (this.random() >= this.share) return
    this.histories.push(history)
    this.events += history.ids.length
    while (this.events > this.maxEvents && this.histories.length > 1) this.halve()
  }

  private halve() {
    this.share /= 2
    this.histories = this.histories.filter(() => this.random() < 0.5)
    this.events = this.histories.reduce((sum, { ids }) => sum + ids.length, 0)
  }

  interactions(): Interactions {
    const itemOf = new Map<number, number>()
    const items = new Growing(new Uint32Array(1024))
    const weights = new Growing(new Float32Array(1024))
    const starts = new Growing(new Uint32Array(1024))
    starts.push(0)
    for (const history of this.histories) {
      history.ids.forEach((id, at) => {
        const item = itemOf.get(id) ?? itemOf.size
        itemOf.set(id, item)
        items.push(item)
        weights.push(history.weights[at] as number)
      })
      starts.push(items.size)
    }
    return { itemCount: itemOf.size, starts: starts.all, items: items.all, weights: weights.all }
  }
}
