import type { Entry, ImportRun, ReportFault } from '../kind.js'
import type { Table } from '../table.js'

interface UserContentPair {
  user_id: number
  content_id: number
}

/** Reports elements whose user or content does not exist. */
export const checkReferences = async ({ ids }: ImportRun, entries: Entry<UserContentPair>[], report: ReportFault) => {
  const users = await ids.users.missing(entries.map(({ record }) => record.user_id))
  const contents = await ids.contents.missing(entries.map(({ record }) => record.content_id))
  if (users.size === 0 && contents.size === 0) return
  for (const { record, place } of entries) {
    if (users.has(record.user_id)) report(place, 'user_id', `there is no user ${record.user_id}`)
    if (contents.has(record.content_id)) report(place, 'content_id', `there is no content ${record.content_id}`)
  }
}

const isSamePair = (one: UserContentPair, other: UserContentPair) => one.user_id === other.user_id && one.content_id === other.content_id

/** Reports ids that another element has, in the run or in the database. */
export const uniqueIds = (owners: Table, field: string) => {
  return (
    key: readonly [number, number?],
    element: UserContentPair,
    stored: UserContentPair | undefined,
    place: number,
    report: ReportFault
  ) => {
    owners.add(key, element.user_id, element.content_id)
    const first = { user_id: owners.get(0, ...key) as number, content_id: owners.get(1, ...key) as number }
    if (!isSamePair(first, element) || (stored && !isSamePair(stored, element))) report(place, field, 'belongs to another element')
  }
}
