import type { NumberColumn } from './number-column.js'
import { maxDepth } from './top-of.js'

/** Above every limit. */
const unknown = 255

interface Rows {
  size: number
  /** The content's own minimum age. */
  minAge: NumberColumn
  parentRow: (row: number) => number | undefined
}

/** The minimum age for each row: the highest of its own and those of its ancestors, so that nothing of a show is open to younger viewers. */
export const agesOf = ({ size, minAge, parentRow }: Rows) => {
  const ageOf = (row: number) => {
    let highest: number | undefined
    let at: number | undefined = row
    for (let depth = 0; at !== undefined && depth <= maxDepth; depth++) {
      const own = minAge.get(at)
      if (own !== null && (highest === undefined || own > highest)) highest = own
      at = parentRow(at)
    }
    return highest ?? unknown
  }
  return Uint8Array.from({ length: size }, (_, row) => ageOf(row))
}
