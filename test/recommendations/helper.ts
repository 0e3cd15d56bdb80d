import { ObjectId } from 'mongodb'
import { Learning } from '../../src/recommendations/learning/learning.js'
import { countPopularity } from '../../src/recommendations/learning/popularity.js'
import { type Trained, trainModel } from '../../src/recommendations/learning/training.js'
import type { HistoryDocument } from '../../src/viewing/history.js'
import type { Answer } from '../helpers/answers.js'
import type { App } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { historyDocument } from '../helpers/documents.js'
import type { Viewer } from '../helpers/viewer.js'

/** The defaults of the settings. */
export const interest = { completedAt: 90, interestFrom: 5 }
const day = 86_400_000
export const daysAgo = (count: number) => new Date(Date.now() - count * day)

export interface Recommended {
  id: number
  parent_id: number | null
  name: string
  recent: boolean
  deleted_at: string | null
  reason: { type: 'watched'; content_id: number; name: string } | { type: 'popular' }
}

/** The recommendations of an answer. Throws if a title appears twice. */
export const recommendedBy = (answer: Answer): Recommended[] => {
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  const { data } = answer.json()
  if (new Set(data.map(({ id }: Recommended) => id)).size !== data.length) throw new Error(`Twice the same: ${answer.body}`)
  return data
}

export const recommendedTo = async ({ get }: Pick<Viewer, 'get'>, query = '?perPage=100', headers: Record<string, string> = {}) =>
  recommendedBy(await get(`/recommendations${query}`, undefined, headers))

/** The ids alone, in their order. */
export const idsFor = async (viewer: Pick<Viewer, 'get'>, query?: string, headers?: Record<string, string>) =>
  (await recommendedTo(viewer, query, headers)).map(({ id }) => id)

/** Somebody without a token. */
export const anybody = (app: App): Pick<Viewer, 'get'> => ({ get: (url, _payload, headers = {}) => app.inject({ url, headers }) })

type View = Partial<HistoryDocument> & Pick<HistoryDocument, 'user_id' | 'content_id'>

/** Writes elements of history without the service, so with any time and country. */
export const views = async (app: App, elements: View[]) => {
  const documents = elements.map(element =>
    historyDocument({ _id: new ObjectId(), updated_at: new Date(), time: 3000, percentage: 95, ...element })
  )
  await databaseOf(app).collection<HistoryDocument>('history').insertMany(documents)
}

/** The numbers from one to another. */
export const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

export const firstOfCrowd = 100_001

/**
 * Users who have completed all contents of a cluster but two, equally many users for each pair that is left out. So all pairs have
 * equally many viewers in common.
 */
export const crowdOf = (cluster: number[], times: number, from: number): View[] => {
  const pairs = cluster.flatMap((one, i) => cluster.slice(i + 1).map(other => [one, other]))
  const users = Array.from({ length: times }, () => pairs).flat()
  return users.flatMap((pair, i) => cluster.filter(id => !pair.includes(id)).map(content_id => ({ user_id: from + i, content_id })))
}

/** As `npm run train` does it, on the database of the app. */
export const trainOn = ({ data }: App): Promise<Trained> => trainModel(data, interest)

/** The work that the plugin of an app does at intervals, driven by hand. `failures` has its errors. */
export const learnerOf = (app: App, given: Partial<ConstructorParameters<typeof Learning>[0]> = {}) => {
  const failures: string[] = []
  const trainings: Trained[] = []
  const learning = new Learning({
    data: app.data,
    recommender: app.recommender,
    train: undefined,
    trainEvery: day,
    trainShare: 0.2,
    onTrained: trained => trainings.push(trained),
    onFailure: (what, error) => failures.push(`${what}: ${(error as Error).message}`),
    ...given
  })
  return { learning, failures, trainings }
}

/** Counts popular titles and loads the newest model at once. By itself, the app counts only every 15 seconds. */
export const counted = async (app: App) => {
  await countPopularity(app.data)
  const { learning, failures } = learnerOf(app)
  await learning.refreshPopular()
  await learning.refreshModel()
  if (failures.length > 0) throw new Error(failures.join())
  return learning
}

/** Trains a model on everything, and makes the app use it. */
export const taught = async (app: App) => {
  await trainOn(app)
  return counted(app)
}
