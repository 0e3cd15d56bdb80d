import type { Goal } from '../measures/goals.js'
import type { Compared } from '../measures/rounds.js'
import type { Measure } from '../measures/statistics.js'

/** The service to a reference, for the picture of all scenarios. */
export interface Ratio {
  scenario: string
  to: string
  of: Compared
  value: Measure
  /** The last of its goals, which is the strictest. */
  goal?: number | undefined
}

export interface Picture {
  /** Without the ending. */
  file: string
  /** What it shows, for whoever cannot see it. */
  alt: string
  svg: string
}

/** What one part of the benchmark found, for the terminal, the JSON and the document alike. */
export interface Section {
  title: string
  /** How it was measured, where the title does not tell. */
  remark?: string
  /** Heads first. */
  table: string[][]
  goals: Goal[]
  /** All that was measured, as it goes into the JSON. */
  figures: unknown
  ratios?: Ratio[]
  picture?: Picture
}
