import type { LegalRecord } from '../../../schemas/import.js'
import type { LegalDocument } from '../../data/legal-documents.js'
import { uniqueKeys } from '../checking/unique-keys.js'
import type { ImportRun, Kind } from '../kind.js'
import { Table, textKey } from '../table.js'
import { documentsOf, type Fields } from '../writing/catalogue-writes.js'

const idOf = ({ language }: LegalRecord) => language.toLowerCase()

/** Without `created_at` and `updated_at`, which a record may have but nothing shows. */
const fieldsOf = ({ title = '', sections }: LegalRecord): Fields<LegalDocument> => ({
  title,
  sections: sections.map(({ title = '', content = '' }) => ({ title, content }))
})

export const legal = ({ db }: ImportRun): Kind<LegalRecord> => {
  const given = new Table(2, 1)
  const claimLanguage = uniqueKeys(given, 'language')
  return {
    ...documentsOf(db, 'legal_documents', { idOf, fieldsOf, isGiven: id => given.has(...textKey(id)) }),
    check(entries, report) {
      for (const { record, place } of entries) claimLanguage(textKey(idOf(record)), place, report)
    }
  }
}
