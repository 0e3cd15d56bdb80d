import type { Measure } from './statistics.js'

/** What an issue asks for, and what was measured. */
export interface Goal {
  goal: string
  issue: number
  unit: 'x' | 'ms' | 's' | 'MB' | 'operations'
  atLeast?: number
  atMost?: number
  value: Measure
  met: boolean
}

type Bound = Pick<Goal, 'goal' | 'issue' | 'unit'> & ({ atLeast: number } | { atMost: number })

export const judged = (bound: Bound, value: Measure): Goal => ({
  ...bound,
  value,
  met: 'atLeast' in bound ? value.median >= bound.atLeast : value.median <= bound.atMost
})

/** What was measured once has no spread. */
export const once = (value: number): Measure => ({ median: value, low: value, high: value })
