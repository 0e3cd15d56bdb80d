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

/** A single measurement, without spread. */
export const single = (value: number): Measure => ({ median: value, low: value, high: value })
