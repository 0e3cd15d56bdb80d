import { readFile, stat } from 'node:fs/promises'
import type { Data } from '../../src/database/data.js'
import type { Lease } from '../../src/database/leases.js'
import { Refusal } from '../../src/privacy/audit.js'
import { featuresInOrder, newcomersOf, readTitleFeatures, readTitles } from '../../src/recommendations/learning/training-data.js'
import { featureCount, withNewcomers } from '../../src/recommendations/model/index.js'
import { largestModel, modelFormat, packed, type StoredModel, unpacked } from '../../src/recommendations/stored-model.js'

/** Stores a model that was trained elsewhere. Every running process then loads it. */
export const storeModel = async (
  path: string,
  { allHistories, contents, recommendationModels }: Pick<Data, 'allHistories' | 'contents' | 'recommendationModels'>,
  confirm?: Lease['confirm']
) => {
  const refuse = ({ message }: Error) => {
    throw new Refusal(`${path} cannot be used: ${message}. The current model stays in use.`)
  }
  const foreign = await foreignFrom(path).catch(refuse)
  const bytes = packed(await completed(foreign, contents))
  if (bytes.byteLength > largestModel) refuse(new Error(`With new titles it has ${bytes.byteLength} bytes, more than ${largestModel}`))
  const elements = await allHistories.estimatedSize()
  await recommendationModels.save({ format: modelFormat, elements, summary: foreign.summary }, bytes, confirm)
  return foreign.summary
}

/** Rejects a file that is too large for a model before reading it. */
const foreignFrom = async (path: string) => {
  const { size } = await stat(path)
  if (size > largestModel) throw new Error(`It has ${size} bytes, more than ${largestModel}`)
  return readModelFile(await readFile(path))
}

/** Adds the titles that nobody has watched, because a training elsewhere does not know the catalogue. */
const completed = async ({ model }: ForeignModel, contents: Data['contents']): Promise<StoredModel> => {
  const all = await readTitles(contents)
  const features = await readTitleFeatures(contents, all)
  // A title may have left the catalogue.
  for (const id of model.ids) if (!features.has(id)) features.set(id, new Set())
  const ids = [...model.ids, ...newcomersOf(all, new Set(model.ids))]
  return { ...model, ...withNewcomers(model, featuresInOrder(ids, features)), ids: Float64Array.from(ids) }
}

/** A model that was trained elsewhere. It only knows titles that have been watched. */
export interface ForeignModel {
  model: StoredModel
  summary: Record<string, unknown>
}

const lineFeed = 0x0a
const longestHead = 64 * 1024

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const headOf = (file: Uint8Array) => {
  const end = file.subarray(0, longestHead).indexOf(lineFeed)
  try {
    const head: unknown = JSON.parse(new TextDecoder().decode(file.subarray(0, Math.max(end, 0))))
    if (isObject(head)) return { head, end }
  } catch {}
  throw new Error('It does not begin with a line of JSON')
}

/** Reads a line of JSON with the format and a summary, then the bytes as they are stored. Throws if anything is wrong. */
export const readModelFile = (file: Uint8Array): ForeignModel => {
  if (file.byteLength > largestModel) throw new Error(`It has ${file.byteLength} bytes, more than ${largestModel}`)
  const { head, end } = headOf(file)
  if (head.format !== modelFormat) throw new Error(`It has format ${JSON.stringify(head.format)}, not ${modelFormat}`)
  // Copied, because typed arrays must be aligned.
  const { buffer, byteLength } = new Uint8Array(file.subarray(end + 1))
  if (byteLength < 8 || !((new Float64Array(buffer, 0, 1)[0] as number) > 0)) throw new Error('It has no titles')
  const model = unpacked(buffer)
  check(model)
  return { model, summary: isObject(head.summary) ? head.summary : {} }
}

/** Rejects a model that the service could load, but that would give bad recommendations. */
const check = ({ ids, watchedCount, links, shares, views, freshness, recent, weights }: StoredModel) => {
  const { starts, targets } = links
  if (watchedCount !== ids.length) throw new Error('It has titles that nobody has watched')
  if (!ids.every(id => Number.isSafeInteger(id) && id > 0)) throw new Error('An id of a title is not a whole number above 0')
  if (new Set(ids).size < ids.length) throw new Error('It contains a title twice')
  if (!shares.every(({ halfLife }) => halfLife > 0)) throw new Error('A half-life is not above 0')
  if (weights.length > 0 && weights.length !== featureCount(links.tables)) throw new Error('It has too many or too few weights')
  if (!targets.every(target => target < ids.length)) throw new Error('A neighbour is not one of its titles')
  for (let row = 0; row < ids.length; row++)
    for (let at = (starts[row] as number) + 1; at < (starts[row + 1] as number); at++)
      if ((targets[at] as number) <= (targets[at - 1] as number)) throw new Error('The neighbours of a title are not in order')
  if (![links.weights, freshness, recent, weights, shares.map(({ share }) => share)].every(numbers => numbers.every(Number.isFinite)))
    throw new Error('The weight of a neighbour is not a number')
  if (!views.every(count => count > 0)) throw new Error('A title has no views')
  if (!freshness.every(times => times > 0)) throw new Error('The freshness of a title is not above 0')
  if (!recent.every(count => count >= 0)) throw new Error('The recent views of a title are below 0')
}
