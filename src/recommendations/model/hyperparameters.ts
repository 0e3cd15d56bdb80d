import type { Penalty } from './regression.js'

/** The weight of a neighbour is its ridge weight plus `share` times its walk weight. `keep` is an upper bound: large models keep fewer. */
export interface Hyperparameters {
  preset: 'dense' | 'sparse'
  walk: WalkShape
  ridge: RidgeShape
  share: number
  /** After how many newer elements an element of the history counts half. With `Infinity`, it never ages. */
  halfLife: number
  /** The model of what comes next, if the order counts. `next.taste` times all of the above is added to it. */
  next?: NextShape
}

/** The weight of a neighbour is its regression weight plus `chain` times its chain weight, times the factors of the target. */
export interface NextShape extends TargetShape, Penalty {
  /** In what is learned, a view counts this many times as much as the next one of the same viewer. */
  decay: number
  keep: number
  chain: number
  /** After how many newer elements an element of the history counts half for what comes next. */
  halfLife: number
  taste: number
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

/** By which factors items are recommended more or less often than by the weights of their neighbours alone. */
export interface TargetShape {
  /** The power by which items with many views count less. */
  targets: number
  /** The power by which fresh items count more: those that more viewers than usual have viewed last. */
  fresh: number
}

const ageless = { halfLife: Number.POSITIVE_INFINITY }

/** Where the search begins: the best settings for a dense data set (films) and for a sparse one (places). */
export const presets: Hyperparameters[] = [
  {
    preset: 'dense',
    walk: { users: 1, targets: 0.5, sources: 1, per: 'target', keep: 100 },
    ridge: { lambda: 240, users: 0, growth: 0, keep: 100 },
    share: 2,
    ...ageless
  },
  {
    preset: 'sparse',
    walk: { users: 0.65, targets: 0.3, sources: 1, per: 'source', keep: 100 },
    ridge: { lambda: 50, users: 0, growth: 0, keep: 100 },
    share: 0.8,
    ...ageless
  }
]

/**
 * Where the search for what comes next begins, and ends if there are too few viewers to choose from: mostly counts, and the newest title
 * outweighs all others together.
 */
export const firstNext: NextShape = {
  decay: 0.8,
  lambda: 100,
  growth: 0,
  keep: 100,
  chain: 3,
  halfLife: 1,
  targets: 0,
  fresh: 0,
  taste: 0
}

/** Without an order, a history ages the same for both sides. */
export const halfLivesOf = ({ halfLife, next }: Pick<Hyperparameters, 'halfLife' | 'next'>) => ({
  next: next?.halfLife ?? halfLife,
  liked: halfLife
})
