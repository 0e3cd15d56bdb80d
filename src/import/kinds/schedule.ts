import type { ProgrammeRecord } from '../../../schemas/import.js'
import type { ProgrammeDocument } from '../../data/programmes.js'
import { moment } from '../../time.js'
import { uniqueKeys } from '../checking/unique-keys.js'
import type { ImportRun, Kind } from '../kind.js'
import { Table } from '../table.js'
import { documentsOf, type Fields } from '../writing/catalogue-writes.js'

/** Without `created_at` and `updated_at`, which a record may have but nothing shows. */
const fieldsOf = (record: ProgrammeRecord): Fields<ProgrammeDocument> => ({
  channel: record.channel,
  starts_at: moment(record.starts_at) as Date,
  ends_at: moment(record.ends_at) as Date,
  content_id: record.content_id
})

export const schedule = ({ db, ids }: ImportRun): Kind<ProgrammeRecord> => {
  const given = new Table(1, 1)
  const claimId = uniqueKeys(given, 'id')
  return {
    ...documentsOf(db, 'programmes', { idOf: ({ id }: ProgrammeRecord) => id, fieldsOf, isGiven: id => given.has(id) }),

    async check(entries, report) {
      const missing = await ids.contents.missing(entries.map(({ record }) => record.content_id))
      for (const { record, place } of entries) {
        claimId([record.id], place, report)
        const { starts_at, ends_at } = fieldsOf(record)
        if (ends_at <= starts_at) report(place, 'ends_at', 'must be after starts_at')
        if (missing.has(record.content_id)) report(place, 'content_id', `there is no content ${record.content_id}`)
      }
    }
  }
}
