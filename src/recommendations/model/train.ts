import { type Choice, choose } from './choose.js'
import { chooseNext } from './choose-next.js'
import type { HoldOutKind } from './evaluation.js'
import { type Interactions, trainingSetOf } from './interactions.js'
import { type Blend, blendOf, nothing, weighted } from './neighbours.js'
import { NextParts } from './next.js'
import { firstUsers, shuffled, workableLength } from './sampling.js'
import { ridgeEquations, taste } from './taste.js'

export interface Model extends Choice {
  /** What comes next and, on the second side, what is liked. */
  links: Blend
}

export interface TrainingStep {
  step: 'choose' | 'train'
  /** Trials, or items. */
  done: number
  total: number
}

export interface TrainingOptions {
  /** What the settings are chosen to predict. */
  holdOut?: HoldOutKind
  seed?: number
  onProgress?: (step: TrainingStep) => void
}

/** The work grows with the number of pairs in the histories. This many take about ten seconds. */
const maxPairs = 3e9
/** More events hardly improve the choice of the settings, but take much longer. */
export const maxForChoice = 1_000_000
/** How many neighbours each part of a model may have, at 8 bytes each. */
const maxNeighbours = 16e6

const usualSeed = 1

const workable = (data: Interactions, seed: number) => shuffled(data, workableLength(data, maxPairs), seed)

const choiceFrom = (within: Interactions, seed: number, { holdOut = 'random', onProgress }: TrainingOptions): Choice => {
  const chosen = holdOut === 'newest' ? chooseNext : choose
  return chosen(firstUsers(within, maxForChoice), { seed, onTrial: (done, total) => onProgress?.({ step: 'choose', done, total }) })
}

/** The settings that `train` would choose, without training. */
export const chooseSettings = (data: Interactions, options: Omit<TrainingOptions, 'seed'>) =>
  choiceFrom(workable(data, usualSeed), usualSeed, options)

export const train = (data: Interactions, options: TrainingOptions = {}): Model => {
  const { seed = usualSeed, onProgress } = options
  const within = workable(data, seed)
  const choice = choiceFrom(within, seed, options)
  const { next, ridge, walk } = choice.settings
  const set = trainingSetOf(within)
  const { itemCount } = set
  const room = Math.max(10, Math.floor(maxNeighbours / itemCount))
  const total = (next ? 5 : 3) * itemCount
  const narrowed = { ...choice.settings, walk: { ...walk, keep: Math.min(walk.keep, room) } }
  const equations = ridgeEquations(set, { ...ridge, keep: Math.min(ridge.keep, room) })
  const liked = taste(set, narrowed, equations, done => onProgress?.({ step: 'train', done, total }))
  if (!next) return { ...choice, links: blendOf(nothing(itemCount), liked) }

  const parts = new NextParts(set, { ...next, keep: Math.min(next.keep, room) })
  const coming = parts.together(next, done => onProgress?.({ step: 'train', done: 3 * itemCount + 2 * done, total }))
  return { ...choice, links: blendOf(coming, weighted(liked, next.taste)) }
}
