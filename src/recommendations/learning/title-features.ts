import type { Skeleton } from '../../catalogue/skeleton.js'
import type { Tree } from '../../catalogue/tree.js'
import { fold } from '../../catalogue/words.js'
import type { Data } from '../../data/index.js'
import { type Features, Growing } from '../model/index.js'

/** What is known of each title apart from its views: its type, and the terms and keywords of it and of its episodes. */
export const readTitleFeatures = async (contents: Data['contents'], skeleton: Skeleton, tree: Tree) => {
  const numbers = new Map<string, number>()
  const features = new Map<number, Set<number>>()
  const add = (title: number, feature: string) => {
    const number = numbers.get(feature) ?? numbers.size
    numbers.set(feature, number)
    const known = features.get(title)
    if (known) known.add(number)
    else features.set(title, new Set([number]))
  }

  for (let row = 0; row < skeleton.size; row++) {
    const title = tree.title(row)
    if (title === row) add(title, `type ${skeleton.type.get(row)}`)
    for (const term of skeleton.terms.get(row)) add(title, `term ${term}`)
  }
  for await (const { _id, keywords } of contents.keywords()) {
    const row = skeleton.row(_id)
    if (row === undefined) continue
    for (const keyword of keywords.split(',').map(fold)) if (keyword.trim()) add(tree.title(row), `keyword ${keyword.trim()}`)
  }
  return features
}

/** The features of some titles, in this order. */
export const featuresInOrder = (titles: number[], features: Map<number, Set<number>>): Features => {
  const starts = new Uint32Array(titles.length + 1)
  const values = new Growing(new Uint32Array(1024))
  titles.forEach((title, at) => {
    for (const feature of features.get(title) ?? []) values.push(feature)
    starts[at + 1] = values.size
  })
  return { starts, values: values.all }
}

/** More would make the model large. */
const maxNewcomers = 20_000

/** The titles that nobody has watched, unless they are over, the newest first. */
export const newcomersOf = (skeleton: Skeleton, tree: Tree, watched: Iterable<number>, now = Date.now()) => {
  const isWatched = new Set(watched)
  const titles: number[] = []
  for (let row = 0; row < skeleton.size; row++)
    if (tree.title(row) === row && !isWatched.has(row) && skeleton.ends.raw(row) > now) titles.push(row)
  return titles.sort((a, b) => skeleton.starts.raw(b) - skeleton.starts.raw(a)).slice(0, maxNewcomers)
}
