import type { Catalogue } from '../catalogue/catalogue.js'
import type { Country } from '../catalogue/country.js'
import { notFound, orNotFound } from '../errors.js'
import { integerId } from './ids.js'

/** The title of the content that a path names: any content that the catalogue has ever had, open or not. */
export const titleIdOf = (catalogue: Catalogue, contentId: string) => {
  catalogue.assertFresh()
  const { skeleton, tree } = catalogue
  return skeleton.idOf(tree.title(orNotFound(skeleton.row(orNotFound(integerId(contentId))))))
}

/** The title of the content that a path names, if both are open. */
export const openTitleIdOf = (catalogue: Catalogue, contentId: string, country: Country | undefined) => {
  const title = titleIdOf(catalogue, contentId)
  if (!catalogue.isOpen(Number(contentId), country) || !catalogue.isOpen(title, country)) throw notFound()
  return title
}
