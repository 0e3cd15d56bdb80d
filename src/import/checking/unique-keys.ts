import type { ReportFault } from '../kind.js'
import type { Table } from '../table.js'

/** Returns a function that claims a key for a record and returns whether it was free. Reports keys that an earlier record has. */
export const uniqueKeys = (table: Table, field: string) => (key: readonly [number, number?], place: number, report: ReportFault) => {
  const isFree = table.add(key, place)
  if (!isFree) report(place, field, 'is already used', table.get(0, ...key))
  return isFree
}
