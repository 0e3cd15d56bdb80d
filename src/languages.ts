import Negotiator from 'negotiator'

/** The languages that a caller accepts, the most wanted first, in lower case. */
export const acceptedLanguages = (header: string | undefined) =>
  header ? new Negotiator({ headers: { 'accept-language': header } }).languages().map(language => language.toLowerCase()) : []

/** The first of the wanted languages that exists: `en-us` finds `en-us`, else `en`. */
export const firstLanguage = (wanted: string[], exists: (language: string) => boolean) =>
  wanted.flatMap(language => [language, language.split('-', 1)[0] as string]).find(exists)
