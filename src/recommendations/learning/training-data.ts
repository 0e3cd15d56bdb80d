import { fold } from '../../catalogue/search/index.js'
import { type Skeleton, skeletonOf } from '../../catalogue/skeleton.js'
import { Tree } from '../../catalogue/tree.js'
import type { Data } from '../../database/data.js'
import { addInterest, type InterestSettings, interestOf } from '../interest.js'
import { type Features, Growing, Histories, type Interactions, type WeightedIds } from '../model/index.js'

interface TrainingData {
  interactions: Interactions
  /** The content id of each item that anyone has watched, followed by those of newcomers. */
  ids: Float64Array
  features: Features
}

/** Reads all histories. The items of the model are titles. */
export const readTrainingData = async (
  data: Pick<Data, 'allHistories' | 'contents'>,
  settings: InterestSettings,
  onProgress: (read: number) => void
): Promise<TrainingData> => {
  const all = await readTitles(data.contents)
  const histories = new Histories()
  for await (const history of watchedTitles(data, all, settings, onProgress)) histories.add(history)
  const { interactions, known } = histories
  const ids = [...known.keys(), ...newcomersOf(all, known)]
  return { interactions, ids: Float64Array.from(ids), features: featuresInOrder(ids, await readTitleFeatures(data.contents, all)) }
}

/** Reads all histories. Yields the content ids of each user's titles, the interest in each and its time, oldest first. */
export async function* watchedTitles(
  { allHistories }: Pick<Data, 'allHistories'>,
  { skeleton, tree }: Titles,
  settings: InterestSettings,
  onProgress: (read: number) => void
): AsyncGenerator<WeightedIds> {
  let titles = new Map<number, number>()
  let times: number[] = []
  let user: number | undefined
  let read = 0
  for await (const element of allHistories.byUser()) {
    const { user_id, content_id, updated_at } = element
    if (user_id !== user) {
      if (titles.size > 0) yield historyFrom(titles, times)
      titles = new Map()
      times = []
      user = user_id
    }
    if (++read % 10_000 === 0) onProgress(read)
    const row = skeleton.currentRow(content_id)
    if (row !== undefined) addInterest(titles, skeleton.idOf(tree.title(row)), interestOf(element, settings))
    // The title has just been added. Its newest view decides when it was watched, and its place.
    if (titles.size > times.length) times.push(Number(updated_at))
  }
  if (titles.size > 0) yield historyFrom(titles, times)
}

/** Reverses the order, because the titles were read newest first. */
const historyFrom = (titles: Map<number, number>, times: number[]): WeightedIds => ({
  ids: [...titles.keys()].reverse(),
  weights: [...titles.values()].reverse(),
  times: times.reverse()
})

/** All contents, and the title of each. */
export interface Titles {
  skeleton: Skeleton
  tree: Tree
}

export const readTitles = async (contents: Data['contents']): Promise<Titles> => {
  const skeleton = await skeletonOf(contents.forSkeleton())
  return { skeleton, tree: new Tree(skeleton) }
}

/** The features of each title by content id: its type, and its own terms, people and keywords and those of its episodes. */
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
    for (const person of skeleton.people.of(row)) add(row, `person ${person}`)
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

/** More would make the model too large. */
const maxNewcomers = 20_000

/** The ids of titles that nobody has watched and that have not ended, newest first. */
export const newcomersOf = ({ skeleton, tree }: Titles, watched: Pick<ReadonlySet<number>, 'has'>, now = Date.now()) => {
  const rows: number[] = []
  for (let row = 0; row < skeleton.size; row++)
    if (tree.title(row) === row && !watched.has(skeleton.idOf(row)) && skeleton.ends.raw(row) > now) rows.push(row)
  const newest = rows.sort((a, b) => skeleton.starts.raw(b) - skeleton.starts.raw(a)).slice(0, maxNewcomers)
  return newest.map(row => skeleton.idOf(row))
}
