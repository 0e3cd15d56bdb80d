import { toLegalText } from '../data/legal-documents.js'
import { orNotFound } from '../errors.js'
import { ok } from '../http/reply.js'
import { jsonAnswer } from './bytes.js'
import type { Catalogue } from './catalogue.js'

/** The legal text in a language. It may be gone by the time at which the answer is made. */
export const legalAnswer = (catalogue: Catalogue, language: string) =>
  catalogue.answer(`legal ${language}`, () => jsonAnswer(ok(toLegalText(orNotFound(catalogue.legal.get(language))))))
