import type { TrainingSet } from './interactions.js'
import { balanced, type Neighbours } from './neighbours.js'
import { nextEquations } from './next.js'
import type { Share } from './ranker.js'
import { periods } from './recent.js'
import { solved } from './regression.js'
import { chain, followers, surroundings } from './succession.js'
import { ridgeEquations } from './taste.js'
import { walk } from './walk.js'

interface Table extends Share {
  /** Keeps the best `keep` neighbours of each item. */
  make: (set: TrainingSet, keep: number) => Neighbours
  /** The usual weights of its features (ranker.ts has their order), and of their logarithms. */
  usual: [number[], number[]]
}

/** The parameters of the regressions and the walk. */
export const shapes = {
  next: { decay: 0.8, lambda: 100 },
  liked: { lambda: 240 },
  walk: { users: 0.65, targets: 0.3, sources: 1 }
}

/**
 * The tables that are learned from histories. The usual weights are means of those fitted on the generated data of `npm run spark`. They
 * are used if there are too few viewers to fit others.
 */
export const tables: Table[] = [
  {
    // What comes next, by a regression.
    make: (set, keep) => balanced(set, solved(nextEquations(set, { ...shapes.next, keep }), shapes.next.lambda)),
    share: 1,
    halfLife: 2,
    usual: [
      [0.08, -0.17, -0.19, 0, 0.07],
      [0.1, -0.07, -0.08, 0, -0.01]
    ]
  },
  {
    // What comes next, by counts.
    make: (set, keep) => chain(set, keep),
    share: 1,
    halfLife: 2,
    usual: [
      [0.02, -0.15, 0.67, 0.14, 0.1],
      [0.03, 0.09, -0.2, -0.03, -0.02]
    ]
  },
  {
    // What is sure to come next.
    make: (set, keep) => followers(set, keep),
    share: 0,
    halfLife: 2,
    usual: [
      [0.01, -0.16, -0.08, -0.06, -0.03],
      [-0.17, 0.13, 0.03, 0.02, 0]
    ]
  },
  {
    // What was watched shortly after.
    make: (set, keep) => surroundings(set, 'after', keep),
    share: 0,
    halfLife: 2,
    usual: [
      [-0.03, 0.21, 0.32, 0, -0.12],
      [0.05, 0, 0.01, 0.01, 0.06]
    ]
  },
  {
    // What was watched shortly before.
    make: (set, keep) => surroundings(set, 'before', keep),
    share: 0,
    halfLife: 2,
    usual: [
      [-0.13, 0.07, -0.04, -0.01, -0.01],
      [0.2, -0.06, 0.08, 0.02, 0]
    ]
  },
  {
    // What is liked, by a regression.
    make: (set, keep) => balanced(set, solved(ridgeEquations(set, keep), shapes.liked.lambda)),
    share: 0.15,
    halfLife: 20,
    usual: [
      [0.08, -0.06, -0.08, -0.03, -0.03],
      [0.14, 0.1, 0.02, 0.01, 0]
    ]
  },
  {
    // What is liked, by counts.
    make: (set, keep) => balanced(set, walk(set, { ...shapes.walk, keep })),
    share: 0.15,
    halfLife: 20,
    usual: [
      [0.09, -0.06, 0.07, 0.02, 0.1],
      [0.15, 0.32, 0.14, 0.01, -0.14]
    ]
  }
]

export const shares: Share[] = tables.map(({ share, halfLife }) => ({ share, halfLife }))

/** The weights of features that belong to no table. Recent popularity has no weight unless it is fitted. */
const otherWeights = [-0.09, -0.01, 0.17, -0.12, -0.23, 0, ...periods.map(() => 0)]

const inOrder = (side: 0 | 1) => [0, 1, 2, 3, 4].flatMap(feature => tables.map(({ usual }) => usual[side][feature] as number))

export const usualWeights = Float64Array.from([...inOrder(0), ...inOrder(1), ...otherWeights])
