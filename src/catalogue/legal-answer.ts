import { toLegalText } from '../data/legal-documents.js'
import { legalTextNotFound, orThrow } from '../errors.js'
import { existingLanguages } from '../http/languages.js'
import { ok } from '../http/reply.js'
import { jsonAnswer } from './bytes.js'
import type { Catalogue } from './catalogue.js'

/** The legal text in the first of the languages that has one. */
export const legalAnswer = (catalogue: Catalogue, languages: string[]) => {
  // A catalogue that is out of date may lack a language, so it must not answer with a 404.
  catalogue.assertFresh()
  const language = orThrow(existingLanguages(languages, code => catalogue.legal.has(code))[0], legalTextNotFound)
  // The text may be gone by the time at which the answer is made.
  const answer = catalogue.answer(`legal ${language}`, () =>
    jsonAnswer(ok(toLegalText(orThrow(catalogue.legal.get(language), legalTextNotFound))))
  )
  return { language, answer }
}
