import { type Measure, single } from './statistics.js'

/** What the service must reach. */
export interface Bound {
  goal: string
  unit: string
  atLeast?: number
  atMost?: number
}

/** What the service has reached. */
export interface Goal extends Bound {
  value: Measure
  met: boolean
}

/** The median decides whether a goal is met. NaN meets none. */
export const judged = (bound: Bound, measured: Measure | number): Goal => {
  const value = typeof measured === 'number' ? single(measured) : measured
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = bound
  return { ...bound, value, met: value.median >= atLeast && value.median <= atMost }
}
