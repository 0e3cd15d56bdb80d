import type { NumberColumn } from './number-column.js'
import { topOf } from './top-of.js'

/** Above every limit. */
const unknown = 255

interface Rows {
  size: number
  /** The content's own minimum age. */
  minAge: NumberColumn
  parentRow: (row: number) => number | undefined
}

/** The minimum age for each row: its own, or that of its nearest ancestor that has one. */
export const agesOf = ({ size, minAge, parentRow }: Rows) => {
  const nearestKnown = (row: number) => topOf(row, above => (minAge.get(above) === null ? parentRow(above) : undefined))
  return Uint8Array.from({ length: size }, (_, row) => minAge.get(nearestKnown(row)) ?? unknown)
}
