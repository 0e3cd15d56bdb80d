import type { PageQuery } from '../../schemas/page.js'

/** Passes the rows whose number in a column is marked, or which are marked themselves: one look for each row, however many values are wanted. */
export interface Test {
  numbers?: Int32Array
  marks: Uint8Array
}

export interface Selection {
  /** The rows on the page. */
  shown: number[]
  /** How many there are on all pages. */
  total: number
}

const passes = (tests: readonly Test[], row: number) => {
  for (const { numbers, marks } of tests) if (marks[numbers ? (numbers[row] as number) : row] !== 1) return false
  return true
}

/** One page of the rows that pass every test. Makes no list of all of them, which may be long and is asked for once. */
export const select = (
  rows: ArrayLike<number>,
  tests: readonly Test[],
  { page, perPage }: PageQuery,
  isWanted?: (row: number) => boolean
): Selection => {
  const first = (page - 1) * perPage
  const shown: number[] = []
  if (tests.length === 0 && !isWanted) {
    for (let i = first; i < rows.length && shown.length < perPage; i++) shown.push(rows[i] as number)
    return { shown, total: rows.length }
  }
  let total = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    if (!passes(tests, row) || isWanted?.(row) === false) continue
    if (total >= first && shown.length < perPage) shown.push(row)
    total++
  }
  return { shown, total }
}

/** The values of a filter without what makes no difference: their order, repeated ones, and those that nothing has. */
export const distinct = <Value>(values: Value[] | undefined, exists: (value: Value) => boolean) =>
  values && [...new Set(values)].filter(exists).sort()
