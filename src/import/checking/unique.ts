import type { Report } from '../kind.js'
import type { Table } from '../reading/table.js'

/** Keeps the places of keys and reports those that come a second time. */
export const unique = (table: Table, field: string) => (key: readonly [number, number?], place: number, report: Report) => {
  const isNew = table.add(key, place)
  if (!isNew) report(place, field, `is the same as at ${table.get(0, ...key)}`)
  return isNew
}
