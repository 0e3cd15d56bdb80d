import type { PageQuery } from '../../schemas/page.js'

/** A row passes if `marks[row]` is 1, or with a column, `marks[column[row]]`. That is one lookup, however many values are wanted. */
export interface RowFilter {
  column?: Int32Array
  marks: Uint8Array
}

export interface Selection {
  shown: number[]
  /** The number of rows on all pages. */
  total: number
}

const passes = (filters: readonly RowFilter[], row: number) => {
  for (const { column, marks } of filters) if (marks[column ? (column[row] as number) : row] !== 1) return false
  return true
}

/** One page of the rows that pass every filter. Counts the other rows instead of collecting them, because they may be many. */
export const select = (
  rows: ArrayLike<number>,
  filters: readonly RowFilter[],
  { page, perPage }: PageQuery,
  isWanted?: (row: number) => boolean
): Selection => {
  const first = (page - 1) * perPage
  const shown: number[] = []
  if (filters.length === 0 && !isWanted) {
    for (let i = first; i < rows.length && shown.length < perPage; i++) shown.push(rows[i] as number)
    return { shown, total: rows.length }
  }
  let total = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    if (!passes(filters, row) || isWanted?.(row) === false) continue
    if (total >= first && shown.length < perPage) shown.push(row)
    total++
  }
  return { shown, total }
}

/** Makes equivalent filters equal: sorts the values and drops duplicates and values that nothing has. */
export const distinct = <Value>(values: Value[] | undefined, exists: (value: Value) => boolean) =>
  values && [...new Set(values)].filter(exists).sort()
