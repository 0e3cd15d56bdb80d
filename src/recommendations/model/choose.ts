import { blendQualities } from './blend-scorer.js'
import { type HoldOut, heldOutWithin, holdOut, type Measured, popularQuality, type Quality, unmeasured } from './evaluation.js'
import { type Hyperparameters, presets, type RidgeShape, type WalkShape } from './hyperparameters.js'
import { byPopularity, type Interactions, type TrainingSet, trainingSetOf } from './interactions.js'
import { joined, type Links } from './links.js'
import type { Neighbours } from './neighbours.js'
import { type Equations, solved } from './regression.js'
import { someOf } from './sampling.js'
import { ridgeEquations } from './taste.js'
import { walk } from './walk.js'

interface Choice extends Measured {
  settings: Hyperparameters
}

/** Bounds of the evaluation. Higher ones hardly improve the choice, but take much longer. */
const maxHeld = 25_000
const maxTargets = 10_000
const minTargets = 500
const depth = 20

/** Smaller improvements may be chance, and are ignored. */
const margin = 0.001

const maxSteps = 3
/** The usual number of trials, for the progress. */
const usualTrials = 12
/** Wide neighbourhoods take eight times as long: too long with more items than this. */
const wideUpTo = 12_000

/** Measures settings on a hold-out, with enough of the items to tell the settings apart. */
class Trials {
  readonly itemCount: number
  private readonly out: HoldOut
  private readonly set: TrainingSet
  private readonly within: Uint8Array
  /** How many recommendations to a user are measured: 20 of all items, and proportionally fewer of a sample. */
  private readonly depth: number
  private readonly walks = new Map<string, Neighbours>()
  private readonly ridges = new Map<string, Neighbours>()
  private equations: { key: string; of: Equations } | undefined
  private blend: { key: string; links: Links } | undefined

  constructor(data: Interactions, seed: number) {
    const out = holdOut(data, 'random', seed)
    const part = Math.min(1, maxHeld / out.held.length)
    this.itemCount = Math.min(data.itemCount, maxTargets, Math.max(minTargets, Math.ceil(part * data.itemCount)))
    this.depth = Math.ceil((depth * this.itemCount) / data.itemCount)
    this.within = someOf(data.itemCount, this.itemCount, seed)
    this.out = heldOutWithin(out, this.within)
    this.set = trainingSetOf(out.training)
  }

  /** Measures the settings with each of these shares in place of their own. */
  qualities(settings: Hyperparameters, shares: number[]) {
    return blendQualities(this.out, this.blended(settings), shares, this.depth, this.itemCount)
  }

  baseline() {
    const order = byPopularity(this.out.training).filter(item => this.within[item] === 1)
    return popularQuality(this.out, order, this.depth, this.itemCount)
  }

  private blended({ ridge, walk }: Hyperparameters) {
    const key = JSON.stringify([ridge, walk])
    if (this.blend?.key !== key) this.blend = { key, links: joined([this.ridge(ridge), this.walk(walk)]) }
    return this.blend.links
  }

  private ridge(shape: RidgeShape) {
    return memoized(this.ridges, shape, () => {
      const { keep, users } = shape
      const key = JSON.stringify([keep, users])
      if (this.equations?.key !== key) this.equations = { key, of: ridgeEquations(this.set, shape, this.within) }
      return solved(this.equations.of, shape)
    })
  }

  private walk(shape: WalkShape) {
    return memoized(this.walks, shape, () => walk(this.set, shape, this.within))
  }
}

const memoized = <Shape>(all: Map<string, Neighbours>, shape: Shape, make: () => Neighbours) => {
  const key = JSON.stringify(shape)
  const known = all.get(key)
  if (known) return known
  const made = make()
  all.set(key, made)
  return made
}

interface ChooseOptions {
  seed: number
  onTrial?: (done: number, total: number, settings: Hyperparameters, quality: Quality) => void
}

/** Chooses how to recommend what is liked, whatever the order, one setting after the other. Each is tried with the best so far. */
export const choose = (data: Interactions, { seed, onTrial }: ChooseOptions): Choice => {
  const trials = new Trials(data, seed)
  let best = presets[0] as Hyperparameters
  let quality: Quality = unmeasured

  let done = 0
  /** Tries the settings with several shares. Keeps the best if it is an improvement, and returns whether it is. */
  const attempt = (settings: Hyperparameters) => {
    const before = quality
    const shares = [0.5, 1, 2].map(factor => settings.share * factor)
    trials.qualities(settings, shares).forEach((measured, at) => {
      if (measured.ndcg <= quality.ndcg * (1 + margin)) return
      best = { ...settings, share: shares[at] as number }
      quality = measured
    })
    onTrial?.(++done, Math.max(done, usualTrials), settings, quality)
    return quality !== before
  }
  const withRidge = (ridge: Partial<RidgeShape>) => attempt({ ...best, ridge: { ...best.ridge, ...ridge } })
  const withWalk = (walk: Partial<WalkShape>) => attempt({ ...best, walk: { ...best.walk, ...walk } })
  const climb = (factor: number) => {
    let steps = 0
    while (steps < maxSteps && withRidge({ lambda: best.ridge.lambda * factor })) steps++
    return steps > 0
  }

  for (const { ridge } of presets) for (const { walk, preset, share } of presets) attempt({ preset, walk, ridge, share })
  if (!climb(2)) climb(0.5)
  withRidge({ growth: 0.5 })
  withRidge({ users: 0.5 })
  if (data.itemCount < wideUpTo) withRidge({ keep: 200 })
  withWalk({ sources: 0.7 })
  return { settings: best, quality, baseline: trials.baseline() }
}
