import Negotiator from 'negotiator'

/** Languages beyond these are ignored. */
const mostLanguages = 20
/** Longer than any language tag with its weight. */
const longestElement = 100

/** The first elements of a header. The rest is not even parsed, so that no caller can make parsing expensive. */
const firstOf = (header: string) => {
  const elements: string[] = []
  for (const [element] of header.matchAll(/[^,\s][^,]*/g)) if (elements.push(element) === mostLanguages) break
  return elements.filter(({ length }) => length <= longestElement)
}

/** The languages that a caller accepts, in lower case and in order of preference. */
export const acceptedLanguages = (header: string | undefined) => {
  if (!header) return []
  const negotiator = new Negotiator({ headers: { 'accept-language': firstOf(header).join() } })
  return negotiator.languages().map(language => language.toLowerCase())
}

/** The wanted languages that exist, in the same order. `en-us` falls back to `en`. */
export const existingLanguages = (wanted: string[], exists: (language: string) => boolean) =>
  [...new Set(wanted.flatMap(language => [language, language.split('-', 1)[0] as string]))].filter(exists)
