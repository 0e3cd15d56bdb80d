import { firstHeldOut, type HoldOut, pastIn } from './evaluation.js'
import { userCountOf } from './interactions.js'
import { poolSize, type Ranker, utilityOf } from './ranker.js'
import { solve } from './regression.js'
import { randomFrom } from './sampling.js'

/** What viewers chose. Each choice has a row of features of the item that was watched, then rows of some candidates that were not. */
export interface Choices {
  width: number
  rows: Float32Array
  /** The row where each choice begins, and where the last one ends. */
  starts: Uint32Array
}

/** More choices hardly improve the weights. */
const mostChoices = 6000
/** How many candidates that were not watched are sampled, which gives the same result in a fraction of the time. */
const rejected = 40
/** A limit for the viewers to look at, because it would take too long if few of them watched a candidate. */
const mostViewers = 40_000

/** What the viewers of a hold-out chose among the candidates of a ranker that was trained without it. */
export const choicesOf = (out: HoldOut, ranker: Ranker, seed: number): Choices => {
  const { width } = ranker
  const asked = firstHeldOut(out, mostViewers)
  const { training, heldStarts, held } = asked
  const random = randomFrom(seed)
  const all = new Float32Array(poolSize * width)
  const rows = new Float32Array(Math.min(mostChoices, held.length) * (1 + rejected) * width)
  const starts = [0]
  const seenBy = new Uint32Array(training.itemCount)
  let size = 0
  for (let user = 0; user < userCountOf(training) && starts.length <= mostChoices; user++) {
    if (heldStarts[user] === heldStarts[user + 1]) continue
    const past = pastIn(asked, user)
    for (let at = 0; at < past.items.length; at++) seenBy[past.items[at] as number] = user + 1
    const chosen = held[heldStarts[user] as number]
    const [pool] = ranker.candidates(past, training.itemCount, [poolSize, 0], item => seenBy[item] !== user + 1)
    const place = pool.findIndex(({ item }) => item === chosen)
    if (place < 0) continue
    ranker.describe(past, pool, all)
    for (const at of [place, ...rejectedOf(pool.length, place, random)]) {
      rows.set(all.subarray(at * width, (at + 1) * width), size * width)
      size++
    }
    starts.push(size)
  }
  return { width, rows: rows.subarray(0, size * width), starts: Uint32Array.from(starts) }
}

/** A random sample of the candidates without the chosen one, in their order. */
const rejectedOf = (candidates: number, chosen: number, random: () => number) => {
  const places: number[] = []
  let left = Math.min(rejected, candidates - 1)
  // Selection sampling: takes exactly this many, all with the same probability.
  for (let at = 0, rest = candidates - 1; left > 0; at++) {
    if (at === chosen || random() * rest-- >= left) continue
    places.push(at)
    left--
  }
  return places
}

/** How strongly the weights are pulled towards the usual ones: with about the strength of this many choices. */
const penalty = 20
const mostSteps = 15
/** The weights are good enough when a step improves the likelihood by less than this share. */
const enough = 1e-5

/**
 * The weights under which the choices are most likely (a conditional logit), by Newton's method. With few choices, they stay close to the
 * usual ones.
 */
export const fitted = (choices: Choices, usual: Float64Array): Float64Array => {
  let weights = usual
  let { loss, gradient, hessian } = derivatives(choices, weights, usual)
  for (let step = 0; step < mostSteps; step++) {
    const size = gradient.length
    solve(hessian, size, gradient)
    let scale = 1
    let next = { weights, loss, gradient, hessian }
    // A whole step may be too far.
    do {
      const moved = weights.map((weight, feature) => weight - scale * (gradient[feature] as number))
      next = { weights: moved, ...derivatives(choices, moved, usual) }
      scale /= 2
    } while (!(next.loss <= loss) && scale > 1e-3)
    const gain = loss - next.loss
    if (!(gain > 0)) break
    ;({ weights, loss, gradient, hessian } = next)
    if (gain < enough * loss) break
  }
  return weights
}

/** The negative log-likelihood, with the penalty for weights far from the usual ones, and its derivatives. */
const derivatives = ({ width, rows, starts }: Choices, weights: Float64Array, usual: Float64Array) => {
  // An even size, which `solve` needs.
  const size = width + (width % 2)
  const gradient = new Float64Array(size)
  const hessian = new Float64Array(size * size)
  const mean = new Float64Array(width)
  let loss = 0
  for (let choice = 0; choice < starts.length - 1; choice++) {
    const [first, end] = [starts[choice] as number, starts[choice + 1] as number]
    const chances = chancesOf({ width, rows }, first, end, weights)
    loss -= Math.log(chances[0] as number)
    mean.fill(0)
    chances.forEach((chance, at) => {
      const from = (first + at) * width
      for (let feature = 0; feature < width; feature++)
        mean[feature] = (mean[feature] as number) + chance * (rows[from + feature] as number)
    })
    for (let feature = 0; feature < width; feature++)
      gradient[feature] = (gradient[feature] as number) + (mean[feature] as number) - (rows[first * width + feature] as number)
    chances.forEach((chance, at) => {
      addSpread(hessian, size, rows.subarray((first + at) * width, (first + at + 1) * width), mean, chance)
    })
  }
  for (let feature = 0; feature < size; feature++) {
    const off = feature < width ? (weights[feature] as number) - (usual[feature] as number) : 0
    loss += (penalty / 2) * off ** 2
    gradient[feature] = (gradient[feature] as number) + penalty * off
    const diagonal = feature * size + feature
    hessian[diagonal] = (hessian[diagonal] as number) + penalty
  }
  return { loss, gradient, hessian }
}

/** Candidates less likely than this hardly affect how the mean changes. */
const unlikely = 1e-3

const addSpread = (hessian: Float64Array, size: number, row: Float32Array, mean: Float64Array, chance: number) => {
  if (chance < unlikely) return
  const spread = row.map((value, feature) => value - (mean[feature] as number))
  for (let feature = 0; feature < spread.length; feature++) {
    const part = chance * (spread[feature] as number)
    const line = feature * size
    for (let other = 0; other <= feature; other++) {
      hessian[line + other] = (hessian[line + other] as number) + part * (spread[other] as number)
    }
  }
}

const chancesOf = ({ width, rows }: Pick<Choices, 'width' | 'rows'>, first: number, end: number, weights: Float64Array) => {
  const chances = new Float64Array(end - first).map((_, at) => utilityOf(rows, (first + at) * width, weights))
  const highest = chances.reduce((most, utility) => Math.max(most, utility), Number.NEGATIVE_INFINITY)
  const odds = chances.map(utility => Math.exp(utility - highest))
  const total = odds.reduce((sum, one) => sum + one, 0)
  return odds.map(one => one / total)
}
