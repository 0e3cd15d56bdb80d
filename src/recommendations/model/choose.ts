import { aged } from './ageing.js'
import { BlendScorer } from './blend-scorer.js'
import { askedFor, type HoldOut, type HoldOutKind, holdOut } from './hold-out.js'
import type { Interactions } from './interactions.js'
import { type Blend, blendOf, type Neighbours } from './neighbours.js'
import { byPopularity, firstOf } from './popularity.js'
import { type Quality, qualitiesOf, type Recommend } from './quality.js'
import { randomFrom } from './random.js'
import { Regressions, type RidgeShape } from './ridge.js'
import { presets, type Settings } from './settings.js'
import { type TrainingSet, trainingSetOf } from './training-set.js'
import { type WalkShape, walk } from './walk.js'

export interface Choice {
  settings: Settings
  /** Of the chosen settings and of plain popularity, on the part that was held out. */
  quality: Quality
  popularity: Quality
}

/** How much is looked at: more makes the choice little better and much later. */
const mostHeld = 25_000
const mostTargets = 10_000
const leastTargets = 500
const depth = 20

/** What is better by less than this part is as good: it may be chance. */
const margin = 0.001

const mostSteps = 3
/** How many trials there are about, for the progress. */
const usualTrials = 13
/** Wide neighbourhoods take eight times as long: with more items than these it is too long. */
const wideUpTo = 12_000

/** Measures settings on a hold-out, with as many of the items as it takes to tell them apart. */
class Trials {
  readonly itemCount: number
  private readonly out: HoldOut
  private readonly set: TrainingSet
  private readonly within: Uint8Array
  /** How many of these items stand for the first twenty of all. */
  private readonly depth: number
  private readonly walks = new Map<string, Neighbours>()
  private readonly ridges = new Map<string, Neighbours>()
  private regressions: { key: string; all: Regressions } | undefined
  private blend: { key: string; blend: Blend } | undefined

  constructor(data: Interactions, kind: HoldOutKind, seed: number) {
    const out = holdOut(data, kind, seed)
    const part = Math.min(1, mostHeld / out.held.length)
    this.itemCount = Math.min(data.itemCount, mostTargets, Math.max(leastTargets, Math.ceil(part * data.itemCount)))
    this.depth = Math.ceil((depth * this.itemCount) / data.itemCount)
    this.within = someOf(data.itemCount, this.itemCount, seed)
    this.out = askedFor(out, this.within)
    this.set = trainingSetOf(out.training)
  }

  /** One for each of the shares, in the place of that of the settings. */
  qualities(settings: Settings, shares: number[]) {
    const scorer = new BlendScorer(this.blended(settings))
    const { starts, items, weights } = this.out.training
    return this.measure(shares.length, (user, isSeen) => {
      const from = starts[user] as number
      const to = starts[user + 1] as number
      const counted = aged(to - from, settings.halfLife, weights?.subarray(from, to))
      return scorer.best(items.subarray(from, to), counted, shares, this.depth, item => !isSeen(item))
    })
  }

  popularity() {
    const order = byPopularity(this.out.training).filter(item => this.within[item] === 1)
    return this.measure(1, (_user, isSeen) => [firstOf(order, this.depth, item => !isSeen(item))])[0] as Quality
  }

  private measure(models: number, recommend: Recommend) {
    return qualitiesOf(this.out, this.depth, this.itemCount, models, recommend)
  }

  private blended({ ridge, walk }: Settings) {
    const key = JSON.stringify([ridge, walk])
    if (this.blend?.key !== key) this.blend = { key, blend: blendOf(this.ridge(ridge), this.walk(walk)) }
    return this.blend.blend
  }

  private ridge(shape: RidgeShape) {
    return once(this.ridges, shape, () => {
      const { keep, users } = shape
      const key = JSON.stringify([keep, users])
      if (this.regressions?.key !== key) this.regressions = { key, all: new Regressions(this.set, shape, this.within) }
      return this.regressions.all.solve(shape)
    })
  }

  private walk(shape: WalkShape) {
    return once(this.walks, shape, () => walk(this.set, shape, this.within))
  }
}

const once = <Shape>(all: Map<string, Neighbours>, shape: Shape, make: () => Neighbours) => {
  const key = JSON.stringify(shape)
  const known = all.get(key)
  if (known) return known
  const made = make()
  all.set(key, made)
  return made
}

/** So many items at random, as a mask. */
export const someOf = (itemCount: number, count: number, seed: number) => {
  const random = randomFrom(seed)
  const some = new Uint8Array(itemCount)
  let left = count
  for (let item = 0; left > 0; item++) {
    if (random() * (itemCount - item) >= left) continue
    some[item] = 1
    left--
  }
  return some
}

export interface ChooseOptions {
  kind: HoldOutKind
  seed: number
  onTrial?: (done: number, total: number, settings: Settings, quality: Quality) => void
}

export const choose = (data: Interactions, { kind, seed, onTrial }: ChooseOptions): Choice => {
  const trials = new Trials(data, kind, seed)
  let best = presets[0] as Settings
  let quality: Quality = { ndcg: -1, recall: 0, coverage: 0 }

  let done = 0
  /** Takes the settings with the best of some shares if they are better; says whether they are. */
  const attempt = (settings: Settings, factors = [0.5, 1, 2]) => {
    const before = quality
    const shares = factors.map(factor => settings.share * factor)
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
    while (steps < mostSteps && withRidge({ lambda: best.ridge.lambda * factor })) steps++
    return steps > 0
  }

  for (const { ridge } of presets)
    for (const { walk, preset, share } of presets) attempt({ preset, walk, ridge, share, halfLife: Number.POSITIVE_INFINITY })
  if (!climb(2)) climb(0.5)
  withRidge({ growth: 0.5 })
  withRidge({ users: 0.5 })
  if (data.itemCount < wideUpTo) withRidge({ keep: 200 })
  withWalk({ sources: 0.7 })
  if (attempt({ ...best, halfLife: 100 }, [1])) attempt({ ...best, halfLife: 20 }, [1])
  return { settings: best, quality, popularity: trials.popularity() }
}
