/** The public interface of the model. Other folders import nothing else from it. */
export {
  countWithAny,
  type HoldOut,
  holdOut,
  pastIn,
  type Quality,
  qualitiesOf,
  splitByTime,
  type TimedEvents,
  type TimeSplit
} from './evaluation.js'
export {
  byPopularity,
  dayOf,
  firstOf,
  Histories,
  type Interactions,
  interactionsOf,
  type Past,
  pastOf,
  type WeightedIds
} from './interactions.js'
export { type Features, withNewcomers } from './newcomers.js'
export { Best, featureCount, poolSize, Ranker, type Ranking, reach, type Scored, type Share } from './ranker.js'
export { periods } from './recent.js'
export { randomFrom } from './sampling.js'
export { Growing } from './sparse-matrix.js'
export { shapes, shares } from './tables.js'
export { type Fit, fittedWeights, type Model, maxForChoice, type TrainingStep, train } from './train.js'
