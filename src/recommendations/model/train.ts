import { type Choice, choose } from './choose.js'
import type { HoldOutKind } from './hold-out.js'
import { firstUsers, type Interactions, shuffled, workableLength } from './interactions.js'
import { blendOf, mixed, type Neighbours } from './neighbours.js'
import { byPopularity } from './popularity.js'
import { Regressions } from './ridge.js'
import { trainingSetOf } from './training-set.js'
import { walk } from './walk.js'

export interface Model extends Choice {
  neighbours: Neighbours
  /** All items, the most viewed first. */
  popular: Uint32Array
}

export interface TrainingStep {
  step: 'choose' | 'train'
  /** Trials, or items. */
  done: number
  total: number
}

export interface TrainingOptions {
  /** What the choosing asks for: what a user watches at all, or what comes next. */
  holdOut?: HoldOutKind
  seed?: number
  onProgress?: (step: TrainingStep) => void
}

/** The work grows with the squares of the histories: this much of it takes some ten seconds. */
const mostPairs = 3e9
/** More events make the choice little better and much later. */
const mostChosenBy = 2_000_000
/** What all neighbours of a kind may be, at 8 bytes each. */
const mostNeighbours = 16e6

export const train = (data: Interactions, { holdOut = 'random', seed = 1, onProgress }: TrainingOptions = {}): Model => {
  const within = shuffled(data, workableLength(data, mostPairs), seed)
  const choice = choose(firstUsers(within, mostChosenBy), {
    kind: holdOut,
    seed,
    onTrial: (done, total) => onProgress?.({ step: 'choose', done, total })
  })
  const { ridge, share, walk: walkShape } = choice.settings
  const set = trainingSetOf(within)
  const { itemCount } = set
  const room = Math.max(10, Math.floor(mostNeighbours / itemCount))

  const walked = walk(set, { ...walkShape, keep: Math.min(walkShape.keep, room) }, undefined, done =>
    onProgress?.({ step: 'train', done, total: 3 * itemCount })
  )
  const regressions = new Regressions(set, { ...ridge, keep: Math.min(ridge.keep, room) })
  const solved = regressions.solve(ridge, done => onProgress?.({ step: 'train', done: itemCount + 2 * done, total: 3 * itemCount }))
  return { ...choice, neighbours: mixed(blendOf(solved, walked), share), popular: byPopularity(data) }
}
