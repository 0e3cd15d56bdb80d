import Negotiator from 'negotiator'

/** How many languages of a header count. */
const most = 20
/** Longer than any language tag with its weight. */
const longest = 100

/** The first elements of a header, those that could be a language. The rest is never looked at: what a header costs is not up to the caller. */
const firstOf = (header: string) => {
  const elements: string[] = []
  for (const [element] of header.matchAll(/[^,\s][^,]*/g)) if (elements.push(element) === most) break
  return elements.filter(({ length }) => length <= longest)
}

/** The languages that a caller accepts, the most wanted first, in lower case. */
export const acceptedLanguages = (header: string | undefined) => {
  if (!header) return []
  const negotiator = new Negotiator({ headers: { 'accept-language': firstOf(header).join() } })
  return negotiator.languages().map(language => language.toLowerCase())
}

/** Those of the wanted languages that exist, in the same order: `en-us` stands for `en-us`, then `en`. */
export const existingLanguages = (wanted: string[], exists: (language: string) => boolean) =>
  [...new Set(wanted.flatMap(language => [language, language.split('-', 1)[0] as string]))].filter(exists)
