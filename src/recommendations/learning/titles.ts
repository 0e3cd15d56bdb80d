import { fitsSkeleton } from '../../catalogue/fits-skeleton.js'
import { Skeleton } from '../../catalogue/skeleton.js'
import { Tree } from '../../catalogue/tree.js'
import type { Data } from '../../data/index.js'

/** All contents, and which title each belongs to. */
export interface Titles {
  skeleton: Skeleton
  tree: Tree
}

export const readTitles = async (contents: Data['contents']): Promise<Titles> => {
  const skeleton = new Skeleton()
  for await (const content of contents.forSkeleton()) if (fitsSkeleton(content)) skeleton.put(content)
  return { skeleton, tree: new Tree(skeleton) }
}
