import { basename } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { contentsOf } from '../src/catalogue/content-documents.js'
import { CommandSettings, readSettings, Settings } from '../src/config.js'
import { connectionTo } from '../src/database/connection.js'
import { type Lease, leasesOf } from '../src/database/leases.js'
import { auditOf, Refusal } from '../src/privacy/audit.js'
import { allHistoriesOf } from '../src/recommendations/learning/all-histories.js'
import { trainInChildProcess, trainingLease } from '../src/recommendations/learning/start-training.js'
import type { Trained, TrainingProgress } from '../src/recommendations/learning/training.js'
import { recommendationModelsOf } from '../src/recommendations/model-documents.js'
import { messageOf, operator, stopOnSignal } from './command-line.js'
import { progressTo } from './progress.js'
import { readArguments, writeEvents } from './train/exchange.js'
import { storeModel } from './train/foreign-model.js'

const TrainSettings = Type.Object({
  ...CommandSettings.properties,
  ...Type.Pick(Settings, ['COMPLETED_AT', 'INTEREST_FROM', 'TRAIN_MEMORY_MB']).properties
})
type TrainSettings = Static<typeof TrainSettings>

const run = async () => {
  const { eventsOut, modelIn } = readArguments(process.argv.slice(2))
  const { MONGO_URL: url, AUDIT_DAYS, COMPLETED_AT, INTEREST_FROM, TRAIN_MEMORY_MB }: TrainSettings = readSettings(TrainSettings)
  const interest = { completedAt: COMPLETED_AT, interestFrom: INTEREST_FROM }
  const { client, db } = connectionTo(url, { serverSelectionTimeoutMS: 5000 })
  const data = { allHistories: allHistoriesOf(db), contents: contentsOf(db), recommendationModels: recommendationModelsOf(db) }
  const signal = stopOnSignal()
  const bar = progressTo(process.stderr)
  const show = (file: string) => (progress: TrainingProgress) => bar.update({ ...progress, file, records: progress.done })
  try {
    const recorded = <T>(option: string, path: string, work: () => Promise<T>) =>
      auditOf(db, AUDIT_DAYS).during(operator(), [{ action: `train --${option}`, subject: basename(path) }], work)
    const alone = async (work: (lease: Lease) => Promise<Trained | Record<string, unknown>>) => {
      const made = await leasesOf(db).withLease(trainingLease, work)
      if (!made) throw new Refusal('Another process is already training.')
      return made
    }
    if (eventsOut !== undefined)
      return await recorded('events-out', eventsOut, () => writeEvents(eventsOut, { data, interest, signal, onProgress: show(eventsOut) }))
    if (modelIn !== undefined) return await recorded('model-in', modelIn, () => alone(({ confirm }) => storeModel(modelIn, data, confirm)))
    return await alone(({ holder }) =>
      trainInChildProcess({ url, interest, memoryMb: TRAIN_MEMORY_MB, holder, signal, onProgress: show('the model') })
    )
  } finally {
    await client.close()
  }
}

try {
  console.log(JSON.stringify(await run()))
} catch (error) {
  console.error(messageOf(error))
  process.exitCode ||= 1
}
