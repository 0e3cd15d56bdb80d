import { blendQualities } from './blend-scorer.js'
import type { Choice, ChooseOptions } from './choose.js'
import { firstHeldOut, type HoldOut, holdOut, popularQuality, type Quality, unmeasured } from './evaluation.js'
import { firstNext, type Hyperparameters, type NextShape, presets } from './hyperparameters.js'
import { byPopularity, type Interactions, type TrainingSet, trainingSetOf } from './interactions.js'
import { type Blend, blendOf, type Neighbours, nothing } from './neighbours.js'
import { NextParts } from './next.js'
import type { HalfLives } from './scorer.js'
import { ridgeEquations, taste } from './taste.js'

/** More held-out items hardly improve the choice, but take longer. */
const maxHeld = 40_000
const depth = 10

/** Smaller improvements may be chance, and are ignored. Candidates are therefore tried in the order of what is usually best. */
const margin = 0.001
/** An improvement that is worth less than finding the titles of this many more viewers may be chance, too. So few viewers choose nothing. */
const fewViewers = 2

/** Less freshness must be clearly better. The hold-out hides the newest view of each user, so the trials undervalue freshness. */
const marginForLessFresh = 0.01

/** The usual number of trials, for the progress. */
const usualTrials = 14

const chains = [3, 1, 0.3, 0.1, 10]
const otherLambdas = [30, 300]
const longerHalfLives = [2, 3, 6]
const mostFresh = 1
const lessFresh = [0.5, 0.25]
const targetPowers = [0.15, 0.3]
const tasteShares = [0.2, 0.1, 0.4, 0.03]
const firstTasteHalfLife = 10
const otherTasteHalfLives = [Number.POSITIVE_INFINITY, 4]

type NextSettings = Hyperparameters & { next: NextShape }

interface Candidate {
  settings: NextSettings
  quality: Quality
}

/** What is liked, by the settings of a preset. */
interface Taste {
  preset: Hyperparameters
  links: Neighbours
}

const [firstPreset] = presets as [Hyperparameters]

/** Measures candidates on what each user viewed last. */
class NextTrials {
  private readonly set: TrainingSet
  private readonly out: HoldOut
  readonly parts: NextParts

  constructor(data: Interactions, seed: number) {
    const out = holdOut(data, 'newest', seed)
    this.out = firstHeldOut(out, maxHeld)
    this.set = trainingSetOf(out.training)
    this.parts = new NextParts(this.set, firstNext)
  }

  /** The settings with a change, and with each share of the chain. */
  withChains(settings: NextSettings, change: Partial<NextShape> = {}): Candidate[] {
    const next = { ...settings.next, ...change }
    const halfLives = { next: next.halfLife, liked: next.halfLife }
    return this.candidates(this.parts.sides(next), halfLives, chains, chain => ({ ...settings, next: { ...next, chain } }))
  }

  /** The settings with other factors of the targets. */
  withFactors(settings: NextSettings, change: Partial<NextShape>): Candidate[] {
    const next = { ...settings.next, ...change }
    const halfLives = { next: next.halfLife, liked: next.halfLife }
    const blend = blendOf(this.parts.together(next), nothing(this.set.itemCount))
    return this.candidates(blend, halfLives, [0], () => ({ ...settings, next }))
  }

  /** What comes next by `together`, with each share of a taste. */
  withTaste(next: NextShape, together: Neighbours, { preset, links }: Taste, halfLife: number): Candidate[] {
    const halfLives = { next: next.halfLife, liked: halfLife }
    const settingsOf = (taste: number) => ({ ...preset, halfLife, next: { ...next, taste } })
    return this.candidates(blendOf(together, links), halfLives, tasteShares, settingsOf)
  }

  tastes(): Taste[] {
    // The presets have the same neighbourhoods.
    const equations = ridgeEquations(this.set, firstPreset.ridge)
    return presets.map(preset => ({ preset, links: taste(this.set, preset, equations) }))
  }

  get viewers() {
    return this.out.held.length
  }

  baseline() {
    return popularQuality(this.out, byPopularity(this.out.training), depth, this.set.itemCount)
  }

  private candidates(blend: Blend, halfLives: HalfLives, shares: number[], settingsOf: (share: number) => NextSettings): Candidate[] {
    const qualities = blendQualities(this.out, blend, halfLives, shares, depth, this.set.itemCount)
    return qualities.map((quality, at) => ({ settings: settingsOf(shares[at] as number), quality }))
  }
}

/** The best of the candidates so far. */
class Leader {
  settings: NextSettings = { ...firstPreset, next: firstNext }
  quality = unmeasured
  private done = 0

  constructor(
    private readonly viewers: number,
    private readonly onTrial: ChooseOptions['onTrial']
  ) {}

  get next() {
    return this.settings.next
  }

  /** Ends a trial. A candidate takes the lead if it is better by more than `least`. */
  challenge(candidates: Candidate[], least = margin) {
    for (const { settings, quality } of candidates) {
      if (quality.ndcg <= this.quality.ndcg * (1 + least) + fewViewers / (this.viewers + fewViewers)) continue
      this.settings = settings
      this.quality = quality
    }
    this.done++
    this.onTrial?.(this.done, Math.max(this.done, usualTrials), this.settings, this.quality)
  }
}

/** Chooses how to recommend what comes next, one part after the other. Each is tried with the best settings so far. */
export const chooseNext = (data: Interactions, { seed, onTrial }: ChooseOptions): Choice => {
  const trials = new NextTrials(data, seed)
  const leader = new Leader(trials.viewers, onTrial)

  leader.challenge(trials.withChains(leader.settings))
  for (const lambda of otherLambdas) leader.challenge(trials.withChains(leader.settings, { lambda }))

  // The best share of the chain changes with the half-life. A longer one is worth trying only where the one before it was better.
  for (const halfLife of longerHalfLives) {
    leader.challenge(trials.withChains(leader.settings, { halfLife }))
    if (leader.next.halfLife < halfLife) break
  }

  leader.challenge(trials.withFactors(leader.settings, { fresh: mostFresh }))
  for (const fresh of lessFresh) leader.challenge(trials.withFactors(leader.settings, { fresh }), marginForLessFresh)
  for (const targets of targetPowers) leader.challenge(trials.withFactors(leader.settings, { targets }))

  const together = trials.parts.together(leader.next)
  const tastes = trials.tastes()
  for (const one of tastes) leader.challenge(trials.withTaste(leader.next, together, one, firstTasteHalfLife))
  const better = tastes.find(({ preset }) => preset.preset === leader.settings.preset) as Taste
  for (const halfLife of otherTasteHalfLives) leader.challenge(trials.withTaste(leader.next, together, better, halfLife))

  const { settings, quality } = leader
  return { settings, quality, baseline: trials.baseline() }
}
