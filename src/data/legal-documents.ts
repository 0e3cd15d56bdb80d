import type { Db } from 'mongodb'
import type { LegalDocument as Legal } from '../../schemas/legal-document.js'
import { type Imported, settled } from './catalogue.js'

export interface LegalDocument extends Imported {
  /** The language, in lower case. */
  _id: string
  title: string
  sections: { title: string; content: string }[]
}

export const toLegal = ({ title, sections }: LegalDocument): Legal => ({
  title,
  sections: sections.map(section => ({ title: section.title, content: section.content }))
})

export const legalDocumentsOf = (db: Db) => {
  const documents = db.collection<LegalDocument>('legal_documents')
  return { all: () => documents.find({}, settled).sort({ _id: 1 }).toArray() }
}
