import { readFile, stat } from 'node:fs/promises'
import type { Data } from '../../src/data/index.js'
import type { Lease } from '../../src/data/leases.js'
import { type ForeignModel, readModelFile } from '../../src/recommendations/learning/model-file.js'
import { featuresInOrder, newcomersOf, readTitleFeatures } from '../../src/recommendations/learning/title-features.js'
import { readTitles } from '../../src/recommendations/learning/titles.js'
import { withNewcomers } from '../../src/recommendations/model/index.js'
import { largestModel, modelFormat, packed, type StoredModel } from '../../src/recommendations/stored-model.js'

/** Refuses a file that is too large for a model before reading it. */
const foreignFrom = async (path: string) => {
  const { size } = await stat(path)
  if (size > largestModel) throw new Error(`It has ${size} bytes, more than ${largestModel}`)
  return readModelFile(await readFile(path))
}

/** The model with the titles of the catalogue that nobody has watched. A training elsewhere does not know the catalogue. */
const completed = async ({ model, views }: ForeignModel, contents: Data['contents']): Promise<StoredModel> => {
  const all = await readTitles(contents)
  const features = await readTitleFeatures(contents, all)
  // A title may have left the catalogue.
  for (const id of model.ids) if (!features.has(id)) features.set(id, new Set())
  const viewsById = new Map(Array.from(model.ids, (id, item) => [id, views[item]]))
  const ids = [...model.ids, ...newcomersOf(all, viewsById)]
  return { ...model, ids: Float64Array.from(ids), links: withNewcomers(model.links, featuresInOrder(ids, features), views) }
}

/** Stores a model that was trained elsewhere. Every running process then loads it. */
export const storeModel = async (
  path: string,
  { allHistories, contents, recommendationModels }: Pick<Data, 'allHistories' | 'contents' | 'recommendationModels'>,
  confirm?: Lease['confirm']
) => {
  const refuse = ({ message }: Error) => {
    throw new Error(`${path} cannot be used: ${message}. The model in use stays.`)
  }
  const foreign = await foreignFrom(path).catch(refuse)
  const bytes = packed(await completed(foreign, contents))
  if (bytes.byteLength > largestModel) refuse(new Error(`With new titles it has ${bytes.byteLength} bytes, more than ${largestModel}`))
  const elements = await allHistories.estimatedSize()
  await recommendationModels.save({ format: modelFormat, elements, summary: foreign.summary }, bytes, confirm)
  return foreign.summary
}
