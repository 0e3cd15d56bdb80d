import type { Penalty } from './regression.js'

/** What is liked, whatever the order. The weight of a neighbour is its ridge weight plus `share` times its walk weight. */
export interface Hyperparameters {
  preset: 'dense' | 'sparse'
  walk: WalkShape
  ridge: RidgeShape
  share: number
}

/** A random walk from an item to a viewer and on to another item. The powers make those with many views count less. */
export interface WalkShape {
  users: number
  targets: number
  sources: number
  /** Keeps the best `keep` neighbours of each source, or of each target. */
  per: 'source' | 'target'
  keep: number
}

/** A ridge regression of each item on the items most similar to it: EASE within a neighbourhood. */
export interface RidgeShape extends Penalty {
  /** How many items each item is regressed on. */
  keep: number
  /** The power by which users with many views count less. */
  users: number
}

/** Where the search begins: the best settings for a dense data set (films) and for a sparse one (places). */
export const presets: Hyperparameters[] = [
  {
    preset: 'dense',
    walk: { users: 1, targets: 0.5, sources: 1, per: 'target', keep: 100 },
    ridge: { lambda: 240, users: 0, growth: 0, keep: 100 },
    share: 2
  },
  {
    preset: 'sparse',
    walk: { users: 0.65, targets: 0.3, sources: 1, per: 'source', keep: 100 },
    ridge: { lambda: 50, users: 0, growth: 0, keep: 100 },
    share: 0.8
  }
]
