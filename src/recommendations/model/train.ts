import { type Choice, choose } from './choose.js'
import type { HoldOutKind } from './hold-out.js'
import { firstUsers, type Interactions, shuffled, workableLength } from './interactions.js'
import { blendOf, mixed, type Neighbours } from './neighbours.js'
import { Regressions } from './ridge.js'
import { trainingSetOf } from './training-set.js'
import { walk } from './walk.js'

export interface Model extends Choice {
  neighbours: Neighbours
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
const maxForChoice = 2_000_000
/** How many neighbours each of the two models may have, at 8 bytes each. */
const maxNeighbours = 16e6

export const train = (data: Interactions, { holdOut = 'random', seed = 1, onProgress }: TrainingOptions = {}): Model => {
  const within = shuffled(data, workableLength(data, maxPairs), seed)
  const choice = choose(firstUsers(within, maxForChoice), {
    kind: holdOut,
    seed,
    onTrial: (done, total) => onProgress?.({ step: 'choose', done, total })
  })
  const { ridge, share, walk: walkShape } = choice.settings
  const set = trainingSetOf(within)
  const { itemCount } = set
  const room = Math.max(10, Math.floor(maxNeighbours / itemCount))

  const walked = walk(set, { ...walkShape, keep: Math.min(walkShape.keep, room) }, undefined, done =>
    onProgress?.({ step: 'train', done, total: 3 * itemCount })
  )
  const regressions = new Regressions(set, { ...ridge, keep: Math.min(ridge.keep, room) })
  const solved = regressions.solve(ridge, done => onProgress?.({ step: 'train', done: itemCount + 2 * done, total: 3 * itemCount }))
  return { ...choice, neighbours: mixed(blendOf(solved, walked), share) }
}
