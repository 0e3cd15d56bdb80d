import { contentNotFound, orThrow } from '../errors.js'
import { answerOf } from './answers.js'
import type { Audience } from './audience.js'
import { contentJson, okBytes } from './bytes.js'
import type { Catalogue } from './catalogue.js'

/** One content, if it is open to the audience. */
export const contentAnswer = async (catalogue: Catalogue, id: number, audience: Audience) => {
  if (!catalogue.isOpen(id, audience)) throw contentNotFound()
  const [fragment] = await catalogue.fragments.of([id])
  return answerOf(okBytes(contentJson(orThrow(fragment, contentNotFound))))
}
