import type { Catalogue } from '../catalogue/catalogue.js'
import { orNotFound } from '../errors.js'
import { integerId } from './ids.js'

/** The title of the content that a path names: any content that the catalogue has ever had, open or not. */
export const titleIdOf = (catalogue: Catalogue, contentId: string) => {
  catalogue.assertFresh()
  const { skeleton, tree } = catalogue
  return skeleton.idOf(tree.title(orNotFound(skeleton.row(orNotFound(integerId(contentId))))))
}
