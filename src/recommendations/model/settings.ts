import type { RidgeShape } from './ridge.js'
import type { WalkShape } from './walk.js'

/** All that is chosen for a model: the score of a neighbour is its ridge weight and `share` times its walk weight. */
export interface Settings {
  preset: 'dense' | 'sparse'
  walk: WalkShape
  ridge: RidgeShape
  share: number
  /** After how many newer elements one of the history counts half; `Infinity` for never. */
  halfLife: number
}

const ageless = { halfLife: Number.POSITIVE_INFINITY }

/** Where the choosing begins: the best on films of which all is known by many, and on a long tail of places. */
export const presets: Settings[] = [
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
