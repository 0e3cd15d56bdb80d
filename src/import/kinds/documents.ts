import type { Db } from 'mongodb'
import type { LegalRecord, PersonRecord, ProgrammeRecord, SupportTextRecord } from '../../../schemas/import.js'
import type { CatalogueKind } from '../../catalogue/kinds.js'
import type { LegalDocument } from '../../catalogue/legal-documents.js'
import type { PersonDocument } from '../../catalogue/person-documents.js'
import type { ProgrammeDocument } from '../../catalogue/programmes.js'
import type { SupportTextDocument } from '../../catalogue/support-texts.js'
import { Table, textKey } from '../../table.js'
import { moment, momentOf } from '../../time.js'
import { type Entry, type Id, type ImportRun, type Kind, type ReportFault, uniqueKeys } from '../kind.js'
import { type Fields, idsNotGiven, removeDocuments, type Stored, type UpsertOptions, upsertsFor } from '../writing.js'
import { pullReferences } from './references.js'

interface DocumentOptions<R, I extends Id, S extends Stored> extends UpsertOptions<S> {
  /** A table for the ids of the run. */
  given?: Table
  idOf: (record: R) => I
  /** The field for which a duplicate id is reported. */
  idField: keyof R & string
  fieldsOf: (record: R) => object
}

/** The kinds whose records are one document each, and whose pruning removes documents that are missing from the run. */
export const documentsOf = <R, I extends Id, S extends Stored = Stored>(
  db: Db,
  collection: CatalogueKind,
  { given = new Table(2, 1), idOf, idField, fieldsOf, ...options }: DocumentOptions<R, I, S>
) => {
  const claim = uniqueKeys(given, idField)
  const keyOf = (id: I): readonly [number, number?] => (typeof id === 'number' ? [id] : textKey(id))
  const upserts = upsertsFor(db, collection, options)
  /** Reports a record whose id an earlier one has. */
  const claimId = ({ record, place }: Entry<R>, report: ReportFault) => claim(keyOf(idOf(record)), place, report)
  return {
    claimId,
    collection,
    revision: collection,
    check(entries, report) {
      for (const entry of entries) claimId(entry, report)
    },
    operations: records => upserts(records.map(record => ({ _id: idOf(record), fields: fieldsOf(record) }))),
    pruning: {
      ids: () => idsNotGiven<I>(db, collection, id => given.has(...keyOf(id))),
      remove: (ids, limit) => removeDocuments(db, collection, ids, limit)
    }
  } satisfies Kind<R> & { claimId: unknown }
}

export const legal = ({ db }: ImportRun): Kind<LegalRecord> =>
  documentsOf(db, 'legal_documents', {
    idOf: ({ language }: LegalRecord) => language.toLowerCase(),
    idField: 'language',
    // Without `created_at` and `updated_at`, which a record may have, but which are never sent.
    fieldsOf: ({ title = '', sections }): Fields<LegalDocument> => ({
      title,
      sections: sections.map(({ title = '', content = '' }) => ({ title, content }))
    })
  })

export const people = ({ db, ids }: ImportRun): Kind<PersonRecord> => {
  const documents = documentsOf(db, 'people', {
    given: ids.people.given,
    idOf: ({ id }: PersonRecord) => id,
    idField: 'id',
    fieldsOf: ({ name, image = null, created_at, updated_at }): Fields<PersonDocument> => ({
      name,
      image,
      created_at: momentOf(created_at),
      updated_at: momentOf(updated_at)
    })
  })
  return {
    ...documents,
    pruning: {
      ...documents.pruning,
      async remove(ids, limit) {
        const removed = { person_id: { $in: ids } }
        await pullReferences(db, { 'credits.person_id': removed.person_id }, { credits: removed }, limit)
        return documents.pruning.remove(ids, limit)
      }
    }
  }
}

export const supportTexts = ({ db }: ImportRun): Kind<SupportTextRecord> =>
  documentsOf(db, 'support_texts', {
    idOf: ({ id, language }: SupportTextRecord): SupportTextDocument['_id'] => `${id}/${language.toLowerCase()}`,
    idField: 'language',
    fieldsOf: (record): Fields<SupportTextDocument> => ({
      id: record.id,
      language: record.language.toLowerCase(),
      context: record.context,
      title: record.title ?? '',
      content: record.content ?? '',
      created_at: momentOf(record.created_at),
      updated_at: momentOf(record.updated_at)
    })
  })

/** Without `created_at` and `updated_at`, which a record may have, but which are never sent. */
const programmeFields = (record: ProgrammeRecord): Fields<ProgrammeDocument> => ({
  channel: record.channel,
  starts_at: moment(record.starts_at) as Date,
  ends_at: moment(record.ends_at) as Date,
  content_id: record.content_id
})

export const schedule = ({ db, ids }: ImportRun): Kind<ProgrammeRecord> => {
  const { claimId, ...programmes } = documentsOf(db, 'programmes', {
    idOf: ({ id }: ProgrammeRecord) => id,
    idField: 'id',
    fieldsOf: programmeFields
  })
  return {
    ...programmes,
    async check(entries, report) {
      const missing = await ids.contents.missing(entries.map(({ record }) => record.content_id))
      for (const entry of entries) {
        const { record, place } = entry
        claimId(entry, report)
        const { starts_at, ends_at } = programmeFields(record)
        if (ends_at <= starts_at) report(place, 'ends_at', 'must be after starts_at')
        if (missing.has(record.content_id)) report(place, 'content_id', `there is no content ${record.content_id}`)
      }
    }
  }
}
