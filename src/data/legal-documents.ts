import type { Db } from 'mongodb'
import type { LegalText } from '../../schemas/texts.js'
import { catalogueRead, type Imported } from './catalogue.js'

export interface LegalDocument extends Imported {
  /** The language, in lower case. */
  _id: string
  title: string
  sections: { title: string; content: string }[]
}

export const toLegalText = ({ title, sections }: LegalDocument): LegalText => ({
  title,
  sections: sections.map(section => ({ title: section.title, content: section.content }))
})

export const legalDocumentsOf = (db: Db) => {
  const documents = db.collection<LegalDocument>('legal_documents')
  return { all: () => documents.find({}, catalogueRead).sort({ _id: 1 }).toArray() }
}
