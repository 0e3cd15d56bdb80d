import type { Measure } from '../measures/statistics.js'

/** Three significant digits, and no fraction for large numbers. */
export const digits = (value: number) => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0)
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}

/** The median, and the quartiles if they differ. */
export const spread = ({ median, low, high }: Measure) =>
  low === high ? digits(median) : `${digits(median)} (${digits(low)} to ${digits(high)})`

/** With thousands separators: 10,000. */
export const grouped = (value: number) => value.toLocaleString('en')
