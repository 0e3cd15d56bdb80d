import { type ChainShape, chain } from './chain.js'
import type { NextShape } from './hyperparameters.js'
import { type Blend, balanced, blendOf, mixed, type Neighbours, withFactors } from './neighbours.js'
import { nextEquations } from './next-equations.js'
import { type Equations, type Penalty, solved } from './regression.js'
import { targetFactors } from './target-factors.js'
import type { TrainingSet } from './training-set.js'

const chainShape: Omit<ChainShape, 'keep'> = { distance: 0.5, back: 0.2, counts: 0.7, sources: 0.2 }

/** The parts of what comes next, each computed once for all settings that have it in common. */
export class NextParts {
  private readonly equations: Equations
  private readonly chain: Neighbours
  private readonly solutions = new Map<string, Blend>()

  constructor(
    private readonly set: TrainingSet,
    { decay, keep }: Pick<NextShape, 'decay' | 'keep'>
  ) {
    this.equations = nextEquations(set, { decay, keep })
    this.chain = chain(set, { ...chainShape, keep })
  }

  /** The regression and the chain, side by side. */
  sides({ lambda, growth }: Penalty, onItem?: (done: number) => void) {
    const key = JSON.stringify([lambda, growth])
    const known = this.solutions.get(key)
    if (known) return known
    const regression = balanced(this.set, solved(this.equations, { lambda, growth }, onItem))
    const blend = blendOf(regression, this.chain)
    this.solutions.set(key, blend)
    return blend
  }

  together(shape: NextShape, onItem?: (done: number) => void) {
    return balanced(this.set, withFactors(mixed(this.sides(shape, onItem), shape.chain), targetFactors(this.set, shape)))
  }
}
