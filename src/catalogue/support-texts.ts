import { type SupportTextDocument, toSupportText } from '../data/support-texts.js'
import { existingLanguages } from '../http/languages.js'

/** One text in the languages that it has. */
type Versions = Map<string, SupportTextDocument>

/** The context under which the texts of every context are listed. */
const every = ''

/** The most wanted language that a text has, else its first. */
const languageOf = (versions: Versions, wanted: string[]) => wanted.find(language => versions.has(language)) ?? [...versions.keys()][0]

/** The support texts by their contexts. */
export class SupportTexts {
  private readonly languages = new Set<string>()
  private readonly contexts = new Map<string, Map<number, Versions>>()
  /** Of each context, one text for each set of languages that its texts have. */
  private readonly distinct = new Map<string, Versions[]>()

  constructor(documents: SupportTextDocument[]) {
    for (const document of documents) {
      this.languages.add(document.language)
      for (const context of new Set([every, document.context])) this.add(context, document)
    }
    for (const [context, texts] of this.contexts) {
      const bySet = new Map([...texts.values()].map(versions => [[...versions.keys()].join(), versions]))
      this.distinct.set(context, [...bySet.values()])
    }
  }

  has(context: string) {
    return this.contexts.has(context)
  }

  /** Of the wanted languages those in which there is any text. */
  existing(wanted: string[]) {
    return existingLanguages(wanted, language => this.languages.has(language))
  }

  /** Names the answer to a caller who wants these languages: many headers lead to few answers. */
  variant(context: string, languages: string[]) {
    return this.distinct.get(context)?.map(versions => languageOf(versions, languages)) ?? []
  }

  /** The texts of a context, of all where it is empty, each in the language that the caller wants most of those it has. */
  in(context: string, languages: string[]) {
    const texts = [...(this.contexts.get(context)?.values() ?? [])]
    return texts.map(versions => toSupportText(versions.get(languageOf(versions, languages) as string) as SupportTextDocument))
  }

  private add(context: string, document: SupportTextDocument) {
    const texts = this.contexts.get(context) ?? new Map<number, Versions>()
    const versions = texts.get(document.id) ?? new Map()
    this.contexts.set(context, texts.set(document.id, versions.set(document.language, document)))
  }
}
