import { readFile, stat } from 'node:fs/promises'
import type { Data } from '../../src/data/index.js'
import { readModelFile } from '../../src/recommendations/learning/model-file.js'
import { largestModel, modelFormat } from '../../src/recommendations/stored-model.js'

/** Reads no more than could be a model. */
const contentOf = async (path: string) => {
  const { size } = await stat(path)
  if (size > largestModel) throw new Error(`It has ${size} bytes, more than ${largestModel}`)
  return readFile(path)
}

/** Stores a model that was trained elsewhere. Every running process then loads it. */
export const storeModel = async (
  path: string,
  { allHistories, recommendationModels }: Pick<Data, 'allHistories' | 'recommendationModels'>
) => {
  const { bytes, summary } = await contentOf(path)
    .then(readModelFile)
    .catch(({ message }: Error) => {
      throw new Error(`${path} cannot be used: ${message}. The model in use stays.`)
    })
  const elements = await allHistories.estimatedSize()
  await recommendationModels.save({ format: modelFormat, elements, summary }, bytes)
  return summary
}
