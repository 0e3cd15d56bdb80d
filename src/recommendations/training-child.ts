import { once } from 'node:events'
import { setPriority } from 'node:os'
import { connectionTo } from '../data/connection.js'
import { contentsOf } from '../data/contents.js'
import { historyOf } from '../data/history.js'
import { modelsOf } from '../data/models.js'
import { trainModel } from './training.js'
import type { TrainingNews, TrainingOrder } from './training-process.js'

/** The process of one training, started by training-process.ts. */
const tell = (news: TrainingNews) => new Promise(resolve => process.send?.(news, resolve))

// Whoever waits for it goes first, and nobody is left to wait when its parent is gone.
setPriority(10)
process.on('disconnect', () => process.exit())

const [{ url, interest }] = (await once(process, 'message')) as [TrainingOrder]
const { client, db } = connectionTo(url)
try {
  const data = { contents: contentsOf(db), history: historyOf(db, interest.completedAt), models: modelsOf(db) }
  await tell({ trained: await trainModel(data, interest, progress => void tell({ progress })) })
} catch (error) {
  await tell({ failed: (error as Error).message })
} finally {
  await client.close()
  process.disconnect()
}
