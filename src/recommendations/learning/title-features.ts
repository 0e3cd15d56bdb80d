import { fold } from '../../catalogue/words.js'
import type { Data } from '../../data/index.js'
import { type Features, Growing } from '../model/index.js'
import type { Titles } from './titles.js'

/** The features of each title by content id: its type, its terms and keywords, and those of its episodes. */
export const readTitleFeatures = async (contents: Data['contents'], { skeleton, tree }: Titles) => {
  const numbers = new Map<string, number>()
  const features = new Map<number, Set<number>>()
  const add = (row: number, feature: string) => {
    const title = skeleton.idOf(tree.title(row))
    const number = numbers.get(feature) ?? numbers.size
    numbers.set(feature, number)
    const known = features.get(title)
    if (known) known.add(number)
    else features.set(title, new Set([number]))
  }

  for (let row = 0; row < skeleton.size; row++) {
    if (tree.title(row) === row) add(row, `type ${skeleton.type.get(row)}`)
    for (const term of skeleton.terms.get(row)) add(row, `term ${term}`)
  }
  for await (const { _id, keywords } of contents.keywords()) {
    const row = skeleton.row(_id)
    if (row === undefined) continue
    for (const keyword of keywords.split(',').map(fold)) if (keyword.trim()) add(row, `keyword ${keyword.trim()}`)
  }
  return features
}

/** The features of some titles, in this order. */
export const featuresInOrder = (ids: number[], features: Map<number, Set<number>>): Features => {
  const starts = new Uint32Array(ids.length + 1)
  const values = new Growing(new Uint32Array(1024))
  ids.forEach((id, at) => {
    for (const feature of features.get(id) as Set<number>) values.push(feature)
    starts[at + 1] = values.size
  })
  return { starts, values: values.all }
}

/** More would make the model large. */
const maxNewcomers = 20_000

/** The ids of the titles that nobody has watched and that have not ended, the newest first. */
export const newcomersOf = ({ skeleton, tree }: Titles, watched: ReadonlyMap<number, unknown>, now = Date.now()) => {
  const rows: number[] = []
  for (let row = 0; row < skeleton.size; row++)
    if (tree.title(row) === row && !watched.has(skeleton.idOf(row)) && skeleton.ends.raw(row) > now) rows.push(row)
  const newest = rows.sort((a, b) => skeleton.starts.raw(b) - skeleton.starts.raw(a)).slice(0, maxNewcomers)
  return newest.map(row => skeleton.idOf(row))
}
