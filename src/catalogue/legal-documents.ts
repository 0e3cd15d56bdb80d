import type { LegalText } from '../../schemas/texts.js'
import type { Imported } from './kinds.js'

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
