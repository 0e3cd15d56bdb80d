import { type Measure, single } from './statistics.js'

/** What the service has to reach. */
export interface Bound {
  goal: string
  unit: string
  atLeast?: number
  atMost?: number
}

/** What it reached. */
export interface Goal extends Bound {
  value: Measure
  met: boolean
}

/** A goal is met by the median; what is no number meets none. */
export const judged = (bound: Bound, measured: Measure | number): Goal => {
  const value = typeof measured === 'number' ? single(measured) : measured
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = bound
  return { ...bound, value, met: value.median >= atLeast && value.median <= atMost }
}
