import type { SupportTextRecord } from '../../../schemas/import.js'
import type { SupportTextDocument } from '../../data/support-texts.js'
import { uniqueKeys } from '../checking/unique-keys.js'
import type { ImportRun, Kind } from '../kind.js'
import { momentOf } from '../reading/moments.js'
import { Table, textKey } from '../table.js'
import { documentsOf, type Fields } from '../writing/catalogue-writes.js'

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

export const supportTexts = ({ db }: ImportRun): Kind<SupportTextRecord> => {
  const given = new Table(2, 1)
  const claimText = uniqueKeys(given, 'language')
  return {
    ...documentsOf(db, 'support_texts', { idOf, fieldsOf, isGiven: id => given.has(...textKey(id)) }),
    check(entries, report) {
      for (const { record, place } of entries) claimText(textKey(idOf(record)), place, report)
    }
  }
}
