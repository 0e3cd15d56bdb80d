import type { NumberColumn } from './number-column.js'
import { topOf } from './top-of.js'

/** Above every limit. */
const unknown = 255

interface Rows {
  size: number
  /** The age that a content has of its own. */
  minAge: NumberColumn
  parentRow: (row: number) => number | undefined
}

/** From which age each row is suited: its own, or else that of the nearest content above it that has one. */
export const agesOf = ({ size, minAge, parentRow }: Rows) => {
  const knowing = (row: number) => topOf(row, above => (minAge.get(above) === null ? parentRow(above) : undefined))
  return Uint8Array.from({ length: size }, (_, row) => minAge.get(knowing(row)) ?? unknown)
}
