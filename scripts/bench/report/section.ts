import type { Goal } from '../measures/goals.js'
import type { Compared } from '../measures/rounds.js'
import type { Measure } from '../measures/statistics.js'

/** The service relative to a reference, for the charts of all scenarios. */
export interface Ratio {
  scenario: string
  to: string
  of: Compared
  value: Measure
  /** The strictest goal. */
  goal?: number | undefined
}

export interface Picture {
  /** The file name without extension. */
  file: string
  /** The alternative text. */
  alt: string
  svg: string
}

/** The results of one part of the benchmark, for the terminal, the JSON and the document. */
export interface Section {
  title: string
  /** How it was measured, if the title does not say. */
  remark?: string
  /** The first row is the header. */
  table: string[][]
  goals: Goal[]
  /** All measurements, for the JSON. */
  figures: unknown
  ratios?: Ratio[]
  picture?: Picture
}
