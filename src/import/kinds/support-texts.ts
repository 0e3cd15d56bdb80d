import type { SupportTextRecord } from '../../../schemas/import.js'
import type { SupportTextDocument } from '../../data/support-texts.js'
import { unique } from '../checking/unique.js'
import type { Kind, Run } from '../kind.js'
import { momentOf } from '../reading/given.js'
import { Table, textKey } from '../reading/table.js'
import { type Fields, removing, replacing } from '../writing/catalogue-writes.js'

const idOf = ({ id, language }: SupportTextRecord): SupportTextDocument['_id'] => `${id}/${language.toLowerCase()}`

const fieldsOf = (record: SupportTextRecord): Fields<SupportTextDocument> => ({
  id: record.id,
  language: record.language.toLowerCase(),
  context: record.context,
  title: record.title ?? '',
  content: record.content ?? '',
  created_at: momentOf(record.created_at),
  updated_at: momentOf(record.updated_at)
})

export const supportTexts = ({ db }: Run): Kind<SupportTextRecord> => {
  const given = new Table(2, 1)
  const isNew = unique(given, 'language')
  const write = replacing(db, 'support_texts')
  return {
    collection: 'support_texts',
    revision: 'support_texts',
    check(entries, report) {
      for (const { record, place } of entries) isNew(textKey(idOf(record)), place, report)
    },
    operations: records => write(records.map(record => ({ _id: idOf(record), fields: fieldsOf(record) }))),
    prune: () => removing<string>(db, 'support_texts', id => given.has(...textKey(id)))
  }
}
