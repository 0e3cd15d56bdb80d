import type { Entry, Report, Run } from '../kind.js'

interface Viewing {
  user_id: number
  content_id: number
}

/** Reports elements of users or contents that are not there. */
export const checkViewing = async ({ ids }: Run, entries: Entry<Viewing>[], report: Report) => {
  const users = await ids.users.missing(entries.map(({ record }) => record.user_id))
  const contents = await ids.contents.missing(entries.map(({ record }) => record.content_id))
  if (users.size === 0 && contents.size === 0) return
  for (const { record, place } of entries) {
    if (users.has(record.user_id)) report(place, 'user_id', `there is no user ${record.user_id}`)
    if (contents.has(record.content_id)) report(place, 'content_id', `there is no content ${record.content_id}`)
  }
}

export const samePair = (one: Viewing, other: Viewing) => one.user_id === other.user_id && one.content_id === other.content_id
