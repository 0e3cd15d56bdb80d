import { aged } from './ageing.js'
import { BlendScorer } from './blend-scorer.js'
import type { Choice, ChooseOptions } from './choose.js'
import { firstHeldOut, type HoldOut, holdOut } from './hold-out.js'
import { firstNext, type Hyperparameters, type NextShape, presets } from './hyperparameters.js'
import type { Interactions } from './interactions.js'
import { type Blend, blendOf, nothing } from './neighbours.js'
import { NextParts } from './next.js'
import { byPopularity, firstOf } from './popularity.js'
import { type Quality, qualitiesOf, unmeasured } from './quality.js'
import { ridgeEquations } from './ridge.js'
import { taste } from './taste.js'
import { type TrainingSet, trainingSetOf } from './training-set.js'

/** More held-out items hardly improve the choice, but take longer. */
const maxHeld = 40_000
const depth = 10

/** Smaller improvements may be chance, and are ignored. Candidates are therefore tried in the order of what is usually best. */
const margin = 0.001

/** Freshness matters more in use than here: a model is used after the last view, but chosen on what came before it. */
const freshMargin = 0.01

/** The usual number of trials, for the progress. */
const usualTrials = 14

const shares = [0.1, 0.3, 1, 3, 10]
const tasteShares = [0.2, 0.1, 0.4, 0.03]

/** Measures models on what each user viewed last. */
class NextTrials {
  readonly set: TrainingSet
  private readonly out: HoldOut

  constructor(data: Interactions, seed: number) {
    const out = holdOut(data, 'newest', seed)
    this.out = firstHeldOut(out, maxHeld)
    this.set = trainingSetOf(out.training)
  }

  /** The quality of both sides of the blend with each share of the second. Each side has a half-life of its own. */
  qualities(blend: Blend, halfLives: [number, number], shares: number[]) {
    const scorer = new BlendScorer(blend)
    const { starts, items, weights } = this.out.training
    return qualitiesOf(this.out, depth, this.set.itemCount, shares.length, (user, isSeen) => {
      const [from, to] = [starts[user] as number, starts[user + 1] as number]
      const [first, second] = halfLives.map(halfLife => aged(to - from, halfLife, weights?.subarray(from, to))) as [
        Float64Array,
        Float64Array
      ]
      return scorer.best({ items: items.subarray(from, to), first, second }, shares, depth, item => !isSeen(item))
    })
  }

  baseline() {
    const order = byPopularity(this.out.training)
    return qualitiesOf(this.out, depth, this.set.itemCount, 1, (_user, isSeen) => [
      firstOf(order, depth, item => !isSeen(item))
    ])[0] as Quality
  }
}

/** Chooses how to recommend what comes next, one part after the other. Each is tried with the best settings so far. */
export const chooseNext = (data: Interactions, { seed, onTrial }: ChooseOptions): Choice => {
  const trials = new NextTrials(data, seed)
  const { set } = trials
  const parts = new NextParts(set, firstNext)
  const [firstPreset] = presets as [Hyperparameters]
  let settings: Hyperparameters = { ...firstPreset, next: firstNext }
  let next = firstNext
  let quality: Quality = unmeasured
  let done = 0

  /** Keeps the best of the candidates if it is an improvement. */
  const attempt = (candidates: Hyperparameters[], qualities: Quality[], least = margin) => {
    qualities.forEach((measured, at) => {
      if (measured.ndcg <= quality.ndcg * (1 + least)) return
      quality = measured
      settings = candidates[at] as Hyperparameters
      next = settings.next as NextShape
    })
    onTrial?.(++done, Math.max(done, usualTrials), settings, quality)
  }
  const withChains = (shape: NextShape, chains: number[]) =>
    attempt(
      chains.map(chain => ({ ...settings, next: { ...shape, chain } })),
      trials.qualities(parts.sides(shape), [shape.halfLife, shape.halfLife], chains)
    )
  const withFactors = (change: Partial<NextShape>, least = margin) => {
    const shape = { ...next, ...change }
    const blend = blendOf(parts.together(shape), nothing(set.itemCount))
    return attempt([{ ...settings, next: shape }], trials.qualities(blend, [shape.halfLife, shape.halfLife], [0]), least)
  }

  withChains(next, shares)
  // With a small share of the regression, lambda hardly matters, and with many items each trial of it takes long.
  if (next.chain < 3) for (const lambda of [30, 300]) withChains({ ...next, lambda }, shares)
  // The best share of the chain changes with the half-life. A longer one is worth trying only where shorter ones are no better.
  for (const halfLife of [1, 2]) withChains({ ...next, halfLife }, shares)
  if (next.halfLife === firstNext.halfLife) withChains({ ...next, halfLife: 6 }, shares)
  withFactors({ fresh: 1 })
  for (const fresh of [0.5, 0.25]) withFactors({ fresh }, freshMargin)
  for (const targets of [0.15, 0.3]) withFactors({ targets })
  const coming = parts.together(next)
  // The presets have the same neighbourhoods.
  const equations = ridgeEquations(set, firstPreset.ridge)
  const tastes = presets.map(preset => ({ preset, own: taste(set, preset, equations) }))
  const withTaste = ({ preset, own }: (typeof tastes)[number], halfLife: number) =>
    attempt(
      tasteShares.map(taste => ({ ...preset, halfLife, next: { ...next, taste } })),
      trials.qualities(blendOf(coming, own), [next.halfLife, halfLife], tasteShares)
    )
  for (const one of tastes) withTaste(one, 10)
  const better = tastes.find(({ preset }) => preset.preset === settings.preset) as (typeof tastes)[number]
  for (const halfLife of [Number.POSITIVE_INFINITY, 4]) withTaste(better, halfLife)
  return { settings, quality, baseline: trials.baseline() }
}
