import { once } from 'node:events'
import { setPriority } from 'node:os'
import { contentsOf } from '../../catalogue/content-documents.js'
import { closeSoon, connectionTo } from '../../database/connection.js'
import { leasesOf } from '../../database/leases.js'
import { recommendationModelsOf } from '../model-documents.js'
import { allHistoriesOf } from './all-histories.js'
import { type TrainingOrder, type TrainingReport, trainingLease } from './start-training.js'
import { type TrainingProgress, trainModel } from './training.js'

/** In milliseconds. The training makes progress with every title, which is too often to report to the parent process. */
const reportEvery = 100

const report = (message: TrainingReport) => new Promise(resolve => process.send?.(message, resolve))

// start-training.ts starts this process. Processes that serve requests take precedence over it.
setPriority(10)
process.on('disconnect', () => process.exit())

const [{ url, interest, memoryMb, holder }] = (await once(process, 'message')) as [TrainingOrder]
const { client, db } = connectionTo(url)
try {
  const data = { allHistories: allHistoriesOf(db), contents: contentsOf(db), recommendationModels: recommendationModelsOf(db) }
  const lease = holder === undefined ? undefined : leasesOf(db).held(trainingLease, holder)
  let reportedAt = Number.NEGATIVE_INFINITY
  const onProgress = (progress: TrainingProgress) => {
    if (performance.now() - reportedAt < reportEvery) return
    reportedAt = performance.now()
    // The heap limit does not include typed arrays, which make up nearly all of a training's memory.
    if (process.memoryUsage.rss() > memoryMb * 1024 * 1024) throw new Error(`The training needs more than ${memoryMb} MB (TRAIN_MEMORY_MB)`)
    void report({ progress })
  }
  const trained = await trainModel(data, interest, onProgress, lease?.confirm)
  await report({ trained })
} catch (error) {
  await report({ failed: (error as Error).message })
} finally {
  await closeSoon(client)
  process.disconnect()
}
