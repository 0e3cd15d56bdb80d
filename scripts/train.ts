import { type Static, Type } from '@sinclair/typebox'
import { CommandSettings, readSettings, Settings } from '../src/config.js'
import { connectionTo } from '../src/data/driver/connection.js'
import { isUnavailable } from '../src/data/driver/faults.js'
import { leasesOf } from '../src/data/leases.js'
import { trainApart } from '../src/recommendations/learning/training-process.js'
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
    const trained = await leasesOf(db).while('training', () =>
      trainApart({
        url,
        interest: { completedAt: COMPLETED_AT, interestFrom: INTEREST_FROM },
        memoryMb: TRAIN_MEMORY_MB,
        signal,
        onProgress: progress => bar.update({ ...progress, file: 'the model', records: progress.done })
      })
    )
    if (!trained) throw new Error('Another process is training at the moment.')
    console.log(JSON.stringify(trained))
  } finally {
    await client.close()
  }
}

try {
  await run()
} catch (error) {
  const { message } = error as Error
  console.error(isUnavailable(error) ? `The database does not answer: ${message}` : message)
  process.exitCode ||= 1
}
