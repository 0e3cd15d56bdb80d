import { joined, mixed, tableAt } from './links.js'
import { type Neighbours, Rows, reversed } from './neighbours.js'
import { Best, type Ranking } from './ranker.js'
import { periods } from './recent.js'
import { startsOf, transposed } from './sparse-matrix.js'

/** Items with more views than this borrow nothing. */
const enoughViews = 20
/** With this many views, an item borrows half as much as without any. */
const halfOfBorrowing = 4
const likeItems = 20
const keep = 60

/** The features of each item, known without its views: numbers from 0, each once. */
export interface Features {
  starts: Uint32Array
  values: Uint32Array
}

/** Links items with few views to others with the same features, so that a title can be recommended on its first day. */
export const withNewcomers = (ranking: Ranking, features: Features): Ranking => {
  const { links, views } = ranking
  const itemCount = features.starts.length - 1
  const alike = lendersOf(features, views)
  const tables = Array.from({ length: links.tables }, (_, at) => tableAt(links, at))
  return {
    ...ranking,
    views: extended(views, itemCount, 0),
    freshness: extended(ranking.freshness, itemCount, 1),
    recent: extended(ranking.recent, itemCount * periods.length, 0),
    links: joined(tables.map(table => withBorrowed({ ...table, starts: withRows(table.starts, itemCount) }, alike)))
  }
}

const extended = (values: Float32Array, length: number, value: number) => {
  const longer = new Float32Array(length).fill(value)
  longer.set(values)
  return longer
}

/** Sums by item, most of which stay 0. Taking the best clears them. */
class Sums {
  private readonly sums: Float64Array
  private found: number[] = []

  constructor(itemCount: number) {
    this.sums = new Float64Array(itemCount)
  }

  add(item: number, amount: number) {
    if (this.sums[item] === 0) this.found.push(item)
    this.sums[item] = (this.sums[item] as number) + amount
  }

  /** The highest scores above 0. */
  best(keep: number, scoreOf: (item: number, sum: number) => number) {
    const best = new Best(keep)
    for (const item of this.found) {
      const score = scoreOf(item, this.sums[item] as number)
      // An item is listed twice if its sum was 0 in between. The reset makes it count once.
      this.sums[item] = 0
      if (score > 0) best.offer(item, score)
    }
    this.found = []
    return best.taken
  }
}

/** For each row of `one`, the weighted sum of the rows of `other` that are its targets. Keeps the strongest targets of each row. */
export const product = (one: Neighbours, other: Neighbours, keep: number): Neighbours => {
  const count = one.starts.length - 1
  const sums = new Sums(count)
  const rows = new Rows(count)
  for (let row = 0; row < count; row++) {
    for (let at = one.starts[row] as number; at < (one.starts[row + 1] as number); at++) {
      const middle = one.targets[at] as number
      const weight = one.weights[at] as number
      for (let place = other.starts[middle] as number; place < (other.starts[middle + 1] as number); place++) {
        sums.add(other.targets[place] as number, weight * (other.weights[place] as number))
      }
    }
    for (const { item, score } of sums.best(keep, (target, sum) => (target === row ? 0 : sum))) rows.add(item, score)
    rows.close()
  }
  return rows.sorted()
}

/** The same neighbours, with each item as its own neighbour, as strong as its strongest. */
const withItself = ({ starts, targets, weights }: Neighbours) => {
  const rows = new Rows(starts.length - 1)
  mostOf(starts, weights).forEach((strongest, row) => {
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++) rows.add(targets[at] as number, weights[at] as number)
    if (strongest > 0) rows.add(row, strongest)
    rows.close()
  })
  return rows.sorted()
}

/**
 * Gives each item a share of the links of similar items, from it and to it. This only fills gaps: it raises no link above half of the
 * item's strongest own link, so that it does not outvote actual viewers.
 */
const withBorrowed = (links: Neighbours, alike: Neighbours) => {
  const own = withItself(links)
  const from = product(alike, own, keep)
  const to = reversed(product(alike, reversed(own), keep))
  const { starts, targets, weights: both } = joined([links, mixed(from, to, 1)])
  const strongest = mostOf(links.starts, links.weights)
  const weights = new Float32Array(targets.length)
  strongest.forEach((most, row) => {
    const enough = most > 0 ? most / 2 : Number.POSITIVE_INFINITY
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++) {
      const one = both[2 * at] as number
      weights[at] = Math.max(one, Math.min(one + (both[2 * at + 1] as number), enough))
    }
  })
  return { starts, targets, weights }
}

/** The largest weight of each row, or 0. */
const mostOf = (starts: Uint32Array, weights: Float32Array) => {
  const most = new Float32Array(starts.length - 1)
  for (let item = 0; item < most.length; item++) {
    const end = starts[item + 1] as number
    for (let place = starts[item] as number; place < end; place++) most[item] = Math.max(most[item] as number, weights[place] as number)
  }
  return most
}

/** How much each item borrows from which others. The fewer views it has, the more. */
const lendersOf = (features: Features, views: ArrayLike<number>): Neighbours => {
  const viewsOf = (item: number) => views[item] ?? 0
  const newcomers = Array.from({ length: features.starts.length - 1 }, (_, item) => item).filter(item => viewsOf(item) < enoughViews)
  const alike = likenesses(features, newcomers, item => viewsOf(item) > 0, likeItems)
  const weights = alike.weights.slice()
  for (const item of newcomers) {
    const [from, to] = [alike.starts[item] as number, alike.starts[item + 1] as number]
    const share = halfOfBorrowing / (halfOfBorrowing + viewsOf(item)) / (to - from)
    for (let at = from; at < to; at++) weights[at] = (weights[at] as number) * share
  }
  return { ...alike, weights }
}

const withRows = (starts: Uint32Array, count: number) => {
  const longer = new Uint32Array(count + 1).fill(starts.at(-1) as number)
  longer.set(starts)
  return longer
}

/** How much each feature counts. The rarer it is, the more. One that most items have says nothing about any of them. */
const gainsOf = ({ starts, values }: Features, featureCount: number) => {
  const bounds = startsOf(values, featureCount)
  const items = starts.length - 1
  return new Float64Array(featureCount).map((_, feature) => {
    const share = ((bounds[feature + 1] as number) - (bounds[feature] as number)) / items
    return share > 0.5 ? 0 : Math.log(1 / share) ** 2
  })
}

/** The accepted items most similar to each given one, by the cosine of their features. Other items have no neighbours. */
export const likenesses = (features: Features, given: Iterable<number>, accepts: (item: number) => boolean, keep: number): Neighbours => {
  const { starts, values } = features
  const itemCount = starts.length - 1
  const featureCount = values.reduce((most, value) => Math.max(most, value + 1), 0)
  const gains = gainsOf(features, featureCount)
  const having = transposed({ starts, targets: values, weights: undefined }, featureCount)
  const featuresOf = (item: number) => values.subarray(starts[item], starts[item + 1])
  const lengths = new Float64Array(itemCount).map((_, item) =>
    Math.sqrt(featuresOf(item).reduce((sum, feature) => sum + (gains[feature] as number), 0))
  )

  const products = new Sums(itemCount)
  const mostLike = (item: number) => {
    for (const feature of featuresOf(item)) {
      const gain = gains[feature] as number
      if (gain === 0) continue
      for (const other of having.targets.subarray(having.starts[feature], having.starts[feature + 1])) products.add(other, gain)
    }
    const length = lengths[item] as number
    return products.best(keep, (other, product) => (other !== item && accepts(other) ? product / (length * (lengths[other] as number)) : 0))
  }

  const isGiven = new Set(given)
  const rows = new Rows(itemCount)
  for (let item = 0; item < itemCount; item++) {
    if (isGiven.has(item)) for (const { item: other, score } of mostLike(item)) rows.add(other, score)
    rows.close()
  }
  return rows.sorted()
}
