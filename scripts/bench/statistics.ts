/** The value below which the given part of all values lies. */
export const quantile = (values: number[], part: number) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** The median and quartiles of repeated measurements. */
export interface Measure {
  median: number
  low: number
  high: number
}

export const measureOf = (values: number[]): Measure => ({
  median: quantile(values, 0.5),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75)
})

/** What the service must reach, and what it has reached. */
export interface Goal {
  goal: string
  unit: string
  atLeast?: number
  atMost?: number
  value: Measure
}

/** The median decides. NaN meets no goal. */
export const isMet = ({ atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY, value: { median } }: Goal) =>
  median >= atLeast && median <= atMost

/** Three significant digits, and no fraction for large numbers. */
export const digits = (value: number) => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0)
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}

/** The median, and the quartiles if they differ. */
export const spread = ({ median, low, high }: Measure) =>
  low === high ? digits(median) : `${digits(median)} (${digits(low)} to ${digits(high)})`
