import type { Hyperparameters } from './hyperparameters.js'
import { balanced, blendOf, mixed } from './neighbours.js'
import { type Equations, solved } from './regression.js'
import type { TrainingSet } from './training-set.js'
import { walk } from './walk.js'

type TasteShape = Pick<Hyperparameters, 'ridge' | 'walk' | 'share'>

/** What viewers of an item like, in whichever order they viewed it: the ridge regression, by its equations, and the walk together. */
export const taste = (
  set: TrainingSet,
  { ridge, walk: walkShape, share }: TasteShape,
  equations: Equations,
  onItem?: (done: number) => void
) => {
  const walked = walk(set, walkShape, undefined, onItem)
  const regressed = solved(equations, ridge, done => onItem?.(set.itemCount + 2 * done))
  return balanced(set, mixed(blendOf(regressed, walked), share))
}
