import type { Past } from './interactions.js'
import type { Links } from './links.js'
import { periods, type RecentOf } from './recent.js'
import { enoughToBeSure } from './succession.js'

/** How much a table counts for first scores, and how the past ages in it: an item followed by `halfLife` newer ones counts half. */
export interface Share {
  share: number
  halfLife: number
}

/** How to predict what follows a past: candidates are found by their first scores, and then sorted by their weighted features. */
export interface Ranking {
  links: Links
  shares: Share[]
  /** By item: how many viewers it has, and how much more often than average it is a viewer's latest title. */
  views: Float32Array
  freshness: Float32Array
  /** By item: its views in each period (recent.ts) up to the newest day. */
  recent: Float32Array
  /** One for each feature. */
  weights: Float64Array
}

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
    const last = taken[count - 1]
    if (count === 0 || (last && !isBetter(item, score, last))) return
    let low = 0
    let high = taken.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBetter(item, score, taken[middle] as Scored)) high = middle
      else low = middle + 1
    }
    if (last) taken.pop()
    taken.splice(low, 0, { item, score })
    if (taken.length === count) this.least = (taken[count - 1] as Scored).score
  }
}

/** How many candidates are sorted by their features. */
export const poolSize = 100

/** The table of shares in which 1 means that all viewers of an item went on to another one. */
export const followersTable = 2

/** The newest items of the past have features of their own. */
const newest = 3
/** In the other features, each item of the past counts this many times as much as the next newer one. */
const decays = [0.8, 0.97] as const
const perTable = newest + decays.length
/** With the first of the decays, older items hardly count. */
const longAgo = 16
/** In tables in which the past ages, only this many of its newest items are used. Older ones add too little. */
export const reach = 64
const recentCount = periods.length
const others = 6 + recentCount

/**
 * For each table, there is a sum over the past with the slow decay, one with the fast decay, and a value for each of the newest items.
 * These are followed by their logarithms, and then by the other features.
 */
export const featureCount = (tables: number) => 2 * perTable * tables + others

const smallest = 1e-4
const logOfNothing = Math.log(smallest)
/** There may be no recent views. */
const logOfViews = (views: number) => Math.log(views + 0.5)
/** Features further than this from the mean, in deviations, count as this far. */
const furthest = 6

/** Predicts what follows a past. Reuses its buffers, so `accepts` must not call the ranker. */
export class Ranker {
  readonly width: number
  /** By item. All 0 between two calls. */
  private readonly scores: Float64Array
  /** By item: its place among the candidates, from 1 on. All 0 between two calls. */
  private readonly places: Uint16Array
  private readonly sums: Float64Array
  private readonly rows: Float32Array
  /** By candidate: whether all viewers of the newest item went on to it. */
  private readonly isSure = new Uint8Array(poolSize)
  private readonly firsts: First[]
  private readonly reach: number
  /** Precomputed, because logarithms are slow, and each request would need hundreds of them. */
  private readonly recentLogs: Float32Array

  constructor(private readonly ranking: Ranking) {
    const { links, recent } = ranking
    const itemCount = links.starts.length - 1
    this.width = featureCount(links.tables)
    this.scores = new Float64Array(itemCount)
    this.places = new Uint16Array(itemCount)
    this.sums = new Float64Array(poolSize * perTable * links.tables)
    this.rows = new Float32Array(poolSize * this.width)
    this.firsts = firstsOf(ranking)
    this.reach = this.firsts.some(({ halfLife }) => halfLife === Number.POSITIVE_INFINITY) ? Number.POSITIVE_INFINITY : reach
    this.recentLogs = recent.map(logOfViews)
  }

  /** At most `count` accepted items that may follow, best first. */
  best(past: Past, count: number, accepts: (item: number) => boolean) {
    return this.bestApart(past, this.scores.length, [count, 0], accepts)[0]
  }

  /** Two lists: the best items below `border`, as in `best`, and the items from `border` on with the highest first scores. */
  bestApart(past: Past, border: number, [count, beyond]: [number, number], accepts: (item: number) => boolean): [Scored[], Scored[]] {
    const [pool, others] = this.candidates(past, border, [Math.max(count, poolSize), beyond], accepts)
    return [[...this.ranked(past, pool.slice(0, poolSize)), ...pool.slice(poolSize)].slice(0, count), others]
  }

  /** The accepted items with the highest first scores above 0: a list of those below `border`, and one of the rest. */
  candidates(past: Past, border: number, counts: [number, number], accepts: (item: number) => boolean): [Scored[], Scored[]] {
    const { scores } = this
    this.addFirstScores(past)
    const before = bestBetween(scores, 0, border, counts[0], accepts)
    const beyond = bestBetween(scores, border, scores.length, counts[1], accepts)
    scores.fill(0)
    return [before, beyond]
  }

  /** Writes the features of the candidates, row by row, each standardised over all of them. */
  describe({ items, interests, recentOf }: Past, candidates: Scored[], rows: Float32Array) {
    const { places, sums, isSure, width } = this
    const { links, views, freshness } = this.ranking
    const { tables } = links
    const stride = perTable * tables
    sums.fill(0, 0, candidates.length * stride)
    isSure.fill(0)
    candidates.forEach(({ item }, at) => {
      places[item] = at + 1
    })
    // Computing a power for each item would take longer than all the rest.
    let [recent, longer] = [1, 1]
    const ages = Math.min(items.length, this.reach)
    for (let age = 0; age < ages; age++) {
      const at = items.length - 1 - age
      const item = items[at] as number
      const interest = interests ? (interests[at] as number) : 1
      if (age === 0) this.markSure(item)
      this.addFeatures(item, age, [interest, interest * recent, interest * longer])
      recent *= decays[0]
      longer *= decays[1]
    }
    candidates.forEach(({ item, score }, at) => {
      places[item] = 0
      const row = at * width
      for (let feature = 0; feature < stride; feature++) {
        const value = sums[at * stride + feature] as number
        rows[row + feature] = value
        // Most values are 0, and logarithms are slow.
        rows[row + stride + feature] = value > 0 ? Math.log(value + smallest) : logOfNothing
      }
      const fresh = Math.log(freshness[item] as number)
      rows.set([Math.log((views[item] as number) + 1), fresh, score, Math.log(score), at, Math.log(at + 1)], row + 2 * stride)
    })
    this.addRecent(candidates, rows, recentOf)
    standardise(rows, candidates.length, width)
  }

  private addRecent(candidates: Scored[], rows: Float32Array, recentOf: RecentOf | undefined) {
    const { recentLogs, width } = this
    candidates.forEach(({ item }, at) => {
      const to = (at + 1) * width - recentCount
      const from = item * recentCount
      if (recentOf) rows.set(recentOf(item).map(logOfViews), to)
      else for (let nth = 0; nth < recentCount; nth++) rows[to + nth] = recentLogs[from + nth] as number
    })
  }

  /** Adds what an item of the past says about the candidates. */
  private addFeatures(item: number, age: number, [interest, recent, longer]: [number, number, number]) {
    const { places, sums } = this
    const { starts, targets, weights, tables } = this.ranking.links
    const stride = perTable * tables
    const end = starts[item + 1] as number
    for (let link = starts[item] as number; link < end; link++) {
      const place = places[targets[link] as number] as number
      if (place === 0) continue
      const own = link * tables
      const sum = (place - 1) * stride
      for (let table = 0; table < tables; table++) {
        const weight = weights[own + table] as number
        if (weight === 0) continue
        sums[sum + table] = (sums[sum + table] as number) + longer * weight
        if (age < longAgo) sums[sum + tables + table] = (sums[sum + tables + table] as number) + recent * weight
        if (age < newest) sums[sum + (2 + age) * tables + table] = interest * weight
      }
    }
  }

  /** Marks the candidates that all viewers of the newest item went on to. */
  private markSure(item: number) {
    const { places, isSure } = this
    const { links, views } = this.ranking
    const { starts, targets, weights, tables } = links
    // An item with fewer viewers may have borrowed its links from items like it (newcomers.ts), so they are not sure.
    if ((views[item] as number) < enoughToBeSure) return
    const end = starts[item + 1] as number
    for (let link = starts[item] as number; link < end; link++) {
      const place = places[targets[link] as number] as number
      if (place > 0 && weights[link * tables + followersTable] === 1) isSure[place - 1] = 1
    }
  }

  /** For each target, the index of the past item that adds the most to its first score (the oldest of equal ones), or -1 if none does. */
  reasons({ items, interests }: Past, given: number[]): number[] {
    const { places, firsts } = this
    const { starts, targets } = this.ranking.links
    const found = given.map(() => -1)
    const most = new Float64Array(given.length)
    given.forEach((target, at) => {
      places[target] = at + 1
    })
    const ages = Math.min(items.length, this.reach)
    for (let age = 0; age < ages; age++) {
      const at = items.length - 1 - age
      const item = items[at] as number
      const end = starts[item + 1] as number
      const aged = firsts.map(first => (interests ? (interests[at] as number) : 1) * agedBy(first, age))
      for (let link = starts[item] as number; link < end; link++) {
        const place = places[targets[link] as number] as number
        if (place === 0) continue
        let strength = 0
        for (let nth = 0; nth < aged.length; nth++) strength += (aged[nth] as number) * ((firsts[nth] as First).parts[link] as number)
        if (strength <= 0 || strength < (most[place - 1] as number)) continue
        most[place - 1] = strength
        found[place - 1] = at
      }
    }
    for (const target of given) places[target] = 0
    return found
  }

  private addFirstScores({ items, interests }: Past) {
    const { scores } = this
    const { starts, targets } = this.ranking.links
    const ages = Math.min(items.length, this.reach)
    for (let age = 0; age < ages; age++) {
      const at = items.length - 1 - age
      const item = items[at] as number
      const end = starts[item + 1] as number
      for (const first of this.firsts) {
        const { parts } = first
        const weight = (interests ? (interests[at] as number) : 1) * agedBy(first, age)
        if (weight < negligible) continue
        for (let link = starts[item] as number; link < end; link++) {
          const target = targets[link] as number
          scores[target] = (scores[target] as number) + weight * (parts[link] as number)
        }
      }
    }
  }

  /** Sure candidates come first. Without weights, the order does not change. */
  private ranked(past: Past, candidates: Scored[]): Scored[] {
    const { rows, isSure, width } = this
    const { weights } = this.ranking
    if (weights.length === 0) return candidates
    this.describe(past, candidates, rows)
    const utilities = candidates.map((_, at) => utilityOf(rows, at * width, weights))
    return candidates
      .map((_, at) => at)
      .sort((a, b) => (isSure[b] as number) - (isSure[a] as number) || (utilities[b] as number) - (utilities[a] as number) || a - b)
      .map(at => candidates[at] as Scored)
  }
}

export const utilityOf = (rows: Float32Array, from: number, weights: Float64Array) => {
  let utility = 0
  for (let feature = 0; feature < weights.length; feature++) utility += (weights[feature] as number) * (rows[from + feature] as number)
  return utility
}

/** Items that are too old for a table add less than this to a first score. */
const negligible = 1e-2

/** What each link adds to a first score, for all tables with the same ageing. */
interface First {
  halfLife: number
  parts: Float32Array
  /**
   * By age: how much an item of the past still counts. Precomputed, because powers are slow, and each request would need thousands of them.
   */
  aged: Float64Array
}

const agingOf = (halfLife: number, age: number) => 2 ** (-age / halfLife)

const agedBy = ({ aged, halfLife }: First, age: number) => aged[age] ?? agingOf(halfLife, age)

const firstsOf = ({ links: { targets, tables, weights }, shares }: Ranking): First[] =>
  [...new Set(shares.map(({ halfLife }) => halfLife))].map(halfLife => {
    const parts = new Float32Array(targets.length)
    shares.forEach(({ share, halfLife: own }, table) => {
      if (own !== halfLife || share === 0) return
      for (let link = 0; link < parts.length; link++)
        parts[link] = (parts[link] as number) + share * (weights[link * tables + table] as number)
    })
    return { halfLife, parts, aged: new Float64Array(reach).map((_, age) => agingOf(halfLife, age)) }
  })

/** Scans all items in the range, because keeping a list of those with a score would take longer. */
const bestBetween = (scores: Float64Array, from: number, to: number, count: number, accepts: (item: number) => boolean) => {
  const best = new Best(count)
  // The first of equal ones stays.
  for (let item = firstAbove(scores, from, to, 0); item < to; item = firstAbove(scores, item + 1, to, best.least))
    if (accepts(item)) best.offer(item, scores[item] as number)
  return best.taken
}

/** The first item with a higher score, or `to`. A function of its own, because a loop without calls is five times as fast. */
const firstAbove = (scores: Float64Array, from: number, to: number, least: number) => {
  let item = from
  while (item < to && !((scores[item] as number) > least)) item++
  return item
}

const standardise = (rows: Float32Array, count: number, width: number) => {
  for (let feature = 0; feature < width; feature++) {
    let sum = 0
    let squares = 0
    for (let at = feature; at < count * width; at += width) {
      const value = rows[at] as number
      sum += value
      squares += value * value
    }
    const mean = sum / count
    const deviation = Math.sqrt(Math.max(squares / count - mean * mean, 0))
    for (let at = feature; at < count * width; at += width) {
      const steps = deviation > 1e-9 ? ((rows[at] as number) - mean) / deviation : 0
      rows[at] = Math.max(-furthest, Math.min(furthest, steps))
    }
  }
}
