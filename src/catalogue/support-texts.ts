import { type SupportTextDocument, toSupportText } from '../data/support-texts.js'
import { firstLanguage } from '../languages.js'

/** The texts of a context (of all where it is empty), each in the language that the caller wants most of those it has. */
export const supportTexts = (documents: SupportTextDocument[], context: string, wanted: string[]) => {
  const texts = new Map<number, Map<string, SupportTextDocument>>()
  for (const document of documents) {
    if (context !== '' && document.context !== context) continue
    const versions = texts.get(document.id) ?? new Map<string, SupportTextDocument>()
    texts.set(document.id, versions.set(document.language, document))
  }
  return [...texts.values()].map(versions => {
    const [anyLanguage] = versions.keys()
    const language = firstLanguage(wanted, language => versions.has(language)) ?? String(anyLanguage)
    return toSupportText(versions.get(language) as SupportTextDocument)
  })
}
