import type { LegalText } from '../../schemas/texts.js'
import { listOf, objectOf, text, validatorOf } from '../database/bson-schema.js'
import type { Imported } from './kinds.js'

export interface LegalDocument extends Imported {
  /** The language, in lower case. */
  _id: string
  title: string
  sections: { title: string; content: string }[]
}

/** The form that lookups use and that a header can carry. */
export const language = { ...text, pattern: '^[a-z]{2,8}(-[a-z0-9]{1,8})*\\z' }

export const legalValidator = validatorOf<Omit<LegalDocument, keyof Imported>>({
  _id: language,
  title: text,
  sections: listOf(objectOf<LegalDocument['sections'][number]>({ title: text, content: text }))
})

export const toLegalText = ({ title, sections }: LegalDocument): LegalText => ({
  title,
  sections: sections.map(section => ({ title: section.title, content: section.content }))
})
