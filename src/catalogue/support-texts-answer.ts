import { ok } from '../http/reply.js'
import { jsonAnswer } from './bytes.js'
import type { Catalogue } from './catalogue.js'

/** The texts of GET /support/context/{context}/texts, each in the first of these languages that it has. */
export const supportTextsAnswer = (catalogue: Catalogue, context: string, wanted: string[]) => {
  const { supportTexts } = catalogue
  const languages = supportTexts.existing(wanted)
  const key = JSON.stringify(['support', context, supportTexts.variant(context, languages)])
  return catalogue.answer(key, () => jsonAnswer(ok(supportTexts.textsIn(context, languages)), !supportTexts.has(context)))
}
