import type { Hyperparameters } from './hyperparameters.js'
import { balanced, blendOf, mixed } from './neighbours.js'
import { solved } from './regression.js'
import { ridgeEquations } from './ridge.js'
import type { TrainingSet } from './training-set.js'
import { walk } from './walk.js'

type TasteShape = Pick<Hyperparameters, 'ridge' | 'walk' | 'share'>

/** What viewers of an item like, in whichever order they viewed it: the ridge regression and the walk together. */
export const taste = (
  set: TrainingSet,
  { ridge, walk: walkShape, share }: TasteShape,
  maxKeep = Number.POSITIVE_INFINITY,
  onItem?: (done: number) => void
) => {
  const walked = walk(set, { ...walkShape, keep: Math.min(walkShape.keep, maxKeep) }, undefined, onItem)
  const equations = ridgeEquations(set, { ...ridge, keep: Math.min(ridge.keep, maxKeep) })
  const regressed = solved(equations, ridge, done => onItem?.(set.itemCount + 2 * done))
  return balanced(set, mixed(blendOf(regressed, walked), share))
}
