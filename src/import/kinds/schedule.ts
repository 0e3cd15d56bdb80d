import type { ProgrammeRecord } from '../../../schemas/import.js'
import type { ProgrammeDocument } from '../../data/programmes.js'
import { moment } from '../../time.js'
import { unique } from '../checking/unique.js'
import type { Kind, Run } from '../kind.js'
import { Table } from '../reading/table.js'
import { type Fields, removing, replacing } from '../writing/catalogue-writes.js'

const fieldsOf = (record: ProgrammeRecord): Fields<ProgrammeDocument> => ({
  channel: record.channel,
  starts_at: moment(record.starts_at) as Date,
  ends_at: moment(record.ends_at) as Date,
  content_id: record.content_id
})

/** Its times of creation may be given as with every kind, but nothing shows them and nothing keeps them. */
export const schedule = ({ db, ids }: Run): Kind<ProgrammeRecord> => {
  const given = new Table(1, 1)
  const isNew = unique(given, 'id')
  const write = replacing(db, 'programmes')
  return {
    collection: 'programmes',
    revision: 'programmes',

    async check(entries, report) {
      const missing = await ids.contents.missing(entries.map(({ record }) => record.content_id))
      for (const { record, place } of entries) {
        isNew([record.id], place, report)
        const { starts_at, ends_at } = fieldsOf(record)
        if (ends_at <= starts_at) report(place, 'ends_at', 'must be after starts_at')
        if (missing.has(record.content_id)) report(place, 'content_id', `there is no content ${record.content_id}`)
      }
    },

    operations: records => write(records.map(record => ({ _id: record.id, fields: fieldsOf(record) }))),

    prune: () => removing<number>(db, 'programmes', id => given.has(id))
  }
}
