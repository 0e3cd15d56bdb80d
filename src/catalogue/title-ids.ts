import { contentNotFound, orThrow } from '../errors.js'
import { integerId } from '../http/requests.js'
import type { Audience } from './audience.js'
import type { Catalogue } from './catalogue.js'

/** The id of the title that the content in a path belongs to. The content may be closed or deleted, but must be within the age limit. */
export const titleIdOf = (catalogue: Catalogue, contentId: string, { maxAge }: Audience) => {
  catalogue.assertFresh()
  const { skeleton, tree } = catalogue
  const row = orThrow(skeleton.row(orThrow(integerId(contentId), contentNotFound)), contentNotFound)
  if (!skeleton.isSuited(row, maxAge)) throw contentNotFound()
  return skeleton.idOf(tree.title(row))
}

/** The same, if both are open. */
export const openTitleIdOf = (catalogue: Catalogue, contentId: string, audience: Audience) => {
  const title = titleIdOf(catalogue, contentId, audience)
  if (!catalogue.isOpen(Number(contentId), audience) || !catalogue.isOpen(title, audience)) throw contentNotFound()
  return title
}
