import { once } from 'node:events'
import { setPriority } from 'node:os'
import { contentsOf } from '../../data/contents.js'
import { connectionTo } from '../../data/driver/connection.js'
import { historyOf } from '../../data/history.js'
import { modelsOf } from '../../data/models.js'
import { trainModel } from './training.js'
import type { TrainingNews, TrainingOrder } from './training-process.js'

const toldEvery = 100

/** The process of one training, started by training-process.ts. */
const tell = (news: TrainingNews) => new Promise(resolve => process.send?.(news, resolve))

// Whoever waits for it goes first, and nobody is left to wait when its parent is gone.
setPriority(10)
process.on('disconnect', () => process.exit())

const [{ url, interest, memoryMb }] = (await once(process, 'message')) as [TrainingOrder]
const { client, db } = connectionTo(url)
try {
  const data = { contents: contentsOf(db), history: historyOf(db, interest.completedAt), models: modelsOf(db) }
  let toldAt = Number.NEGATIVE_INFINITY
  const trained = await trainModel(data, interest, progress => {
    // There is progress with every title: whoever serves requests meanwhile has better to do than to read of each.
    if (performance.now() - toldAt < toldEvery) return
    toldAt = performance.now()
    // The limit of the heap knows nothing of typed arrays, which is nearly all that a training takes.
    if (process.memoryUsage.rss() > memoryMb * 1024 * 1024) throw new Error(`The training needs more than ${memoryMb} MB (TRAIN_MEMORY_MB)`)
    void tell({ progress })
  })
  await tell({ trained })
} catch (error) {
  await tell({ failed: (error as Error).message })
} finally {
  await client.close()
  process.disconnect()
}
