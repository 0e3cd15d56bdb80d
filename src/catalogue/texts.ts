import { orThrow, resourceNotFound } from '../errors.js'
import { existingLanguages } from '../http/languages.js'
import { ok } from '../http/reply.js'
import { jsonAnswer } from './bytes.js'
import { type LegalDocument, toLegalText } from './legal-documents.js'
import type { Answering } from './public-responses.js'
import { type SupportTextDocument, toSupportText } from './support-texts.js'

interface LegalSource extends Answering {
  /** By language. */
  legal: ReadonlyMap<string, LegalDocument>
}

/** The legal text in the first of the languages that has one. */
export const legalAnswer = (catalogue: LegalSource, languages: string[]) => {
  // A catalogue that is out of date may lack a language, so it must not return 404.
  catalogue.assertFresh()
  const language = orThrow(existingLanguages(languages, code => catalogue.legal.has(code))[0], resourceNotFound)
  // The text may be gone by the time the response is made.
  const answer = catalogue.answer(`legal ${language}`, () =>
    jsonAnswer(ok(toLegalText(orThrow(catalogue.legal.get(language), resourceNotFound))))
  )
  return { language, answer }
}

interface SupportSource extends Answering {
  supportTexts: SupportTexts
}

/** The texts of GET /support/context/{context}/texts, each in the first of these languages that it has. */
export const supportTextsAnswer = (catalogue: SupportSource, context: string, wanted: string[]) => {
  const { supportTexts } = catalogue
  const languages = supportTexts.existing(wanted)
  const key = JSON.stringify(['support', context, supportTexts.variant(context, languages)])
  return catalogue.answer(key, () => jsonAnswer(ok(supportTexts.textsIn(context, languages)), !supportTexts.has(context)))
}

/** One text in all its languages. */
type Versions = Map<string, SupportTextDocument>

/** Stands for all contexts together. */
const allContexts = ''

/** The first wanted language that the text has, or else its first language. */
const languageOf = (versions: Versions, wanted: string[]) => wanted.find(language => versions.has(language)) ?? [...versions.keys()][0]

export class SupportTexts {
  private readonly languages = new Set<string>()
  private readonly contexts = new Map<string, Map<number, Versions>>()
  /** For each context, one text for each distinct set of languages. */
  private readonly distinct = new Map<string, Versions[]>()

  constructor(documents: SupportTextDocument[]) {
    for (const document of documents) {
      this.languages.add(document.language)
      for (const context of new Set([allContexts, document.context])) this.add(context, document)
    }
    for (const [context, texts] of this.contexts) {
      const bySet = new Map([...texts.values()].map(versions => [[...versions.keys()].join(), versions]))
      this.distinct.set(context, [...bySet.values()])
    }
  }

  has(context: string) {
    return this.contexts.has(context)
  }

  /** Drops languages in which there are no texts. */
  existing(wanted: string[]) {
    return existingLanguages(wanted, language => this.languages.has(language))
  }

  /** A cache key: equal for callers who get the same texts, although their headers may differ. */
  variant(context: string, languages: string[]) {
    return this.distinct.get(context)?.map(versions => languageOf(versions, languages)) ?? []
  }

  /** The texts of a context (all if it is empty), each in the language that the caller prefers. */
  textsIn(context: string, languages: string[]) {
    const texts = [...(this.contexts.get(context)?.values() ?? [])]
    return texts.map(versions => toSupportText(versions.get(languageOf(versions, languages) as string) as SupportTextDocument))
  }

  private add(context: string, document: SupportTextDocument) {
    const texts = this.contexts.get(context) ?? new Map<number, Versions>()
    const versions = texts.get(document.id) ?? new Map()
    this.contexts.set(context, texts.set(document.id, versions.set(document.language, document)))
  }
}
