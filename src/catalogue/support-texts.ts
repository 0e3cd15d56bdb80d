import type { SupportText } from '../../schemas/texts.js'
import { date, id, text, validatorOf } from '../database/bson-schema.js'
import { timestamp } from '../time.js'
import type { Imported } from './kinds.js'
import { language } from './legal-documents.js'

/** One text in one language. */
export interface SupportTextDocument extends Imported {
  _id: `${number}/${string}`
  id: number
  /** In lower case. */
  language: string
  context: string
  title: string
  content: string
  created_at: Date
  updated_at: Date
}

export const supportTextValidator = validatorOf<Omit<SupportTextDocument, keyof Imported>>({
  _id: text,
  id,
  language,
  context: text,
  title: text,
  content: text,
  created_at: date,
  updated_at: date
})

export const toSupportText = ({ id, context, language, title, content, created_at, updated_at }: SupportTextDocument): SupportText => ({
  id,
  context,
  language,
  title,
  content,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at)
})
