import type { LegalRecord } from '../../../schemas/import.js'
import type { LegalDocument } from '../../data/legal-documents.js'
import { unique } from '../checking/unique.js'
import type { Kind, Run } from '../kind.js'
import { Table, textKey } from '../reading/table.js'
import { type Fields, removing, replacing } from '../writing/catalogue-writes.js'

const idOf = ({ language }: LegalRecord) => language.toLowerCase()

const fieldsOf = ({ title = '', sections }: LegalRecord): Fields<LegalDocument> => ({
  title,
  sections: sections.map(({ title = '', content = '' }) => ({ title, content }))
})

/** Its times may be given as with every kind, but nothing shows them and nothing keeps them. */
export const legal = ({ db }: Run): Kind<LegalRecord> => {
  const given = new Table(2, 1)
  const isNew = unique(given, 'language')
  const write = replacing(db, 'legal_documents')
  return {
    collection: 'legal_documents',
    revision: 'legal_documents',
    check(entries, report) {
      for (const { record, place } of entries) isNew(textKey(idOf(record)), place, report)
    },
    operations: records => write(records.map(record => ({ _id: idOf(record), fields: fieldsOf(record) }))),
    prune: () => removing<string>(db, 'legal_documents', id => given.has(...textKey(id)))
  }
}
