import { type Static, Type } from '@sinclair/typebox'
import { CommandSettings, readSettings, Settings } from '../src/config.js'
import { connectionTo } from '../src/data/driver/connection.js'
import { leasesOf } from '../src/data/leases.js'
import { trainInChildProcess } from '../src/recommendations/learning/start-training.js'
import { messageOf } from './failures.js'
import { progressTo } from './progress.js'
import { stopOnSignal } from './stop.js'

const TrainSettings = Type.Object({
  ...CommandSettings.properties,
  ...Type.Pick(Settings, ['COMPLETED_AT', 'INTEREST_FROM', 'TRAIN_MEMORY_MB']).properties
})
type TrainSettings = Static<typeof TrainSettings>

const run = async () => {
  const { MONGO_URL: url, COMPLETED_AT, INTEREST_FROM, TRAIN_MEMORY_MB }: TrainSettings = readSettings(TrainSettings)
  const { client, db } = connectionTo(url, { serverSelectionTimeoutMS: 5000 })
  const signal = stopOnSignal()
  const bar = progressTo(process.stderr)
  try {
    const trained = await leasesOf(db).withLease('training', () =>
      trainInChildProcess({
        url,
        interest: { completedAt: COMPLETED_AT, interestFrom: INTEREST_FROM },
        memoryMb: TRAIN_MEMORY_MB,
        signal,
        onProgress: progress => bar.update({ ...progress, file: 'the model', records: progress.done })
      })
    )
    if (!trained) throw new Error('Another process is already training.')
    console.log(JSON.stringify(trained))
  } finally {
    await client.close()
  }
}

try {
  await run()
} catch (error) {
  console.error(messageOf(error))
  process.exitCode ||= 1
}
