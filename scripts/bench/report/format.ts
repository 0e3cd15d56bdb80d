import type { Measure } from '../measures/statistics.js'

/** Three digits that count, and no fraction of what is large. */
export const digits = (value: number) => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0)
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}

/** The median, and the quartiles where they differ from it. */
export const spread = ({ median, low, high }: Measure) =>
  low === high ? digits(median) : `${digits(median)} (${digits(low)} to ${digits(high)})`

/** 10,000 for people. */
export const grouped = (value: number) => value.toLocaleString('en')
