import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip, type Gzip } from 'node:zlib'
import type { Data } from '../../src/database/data.js'
import { Refusal } from '../../src/privacy/audit.js'
import type { InterestSettings } from '../../src/recommendations/interest.js'
import type { TrainingProgress } from '../../src/recommendations/learning/training.js'
import { readTitles, watchedTitles } from '../../src/recommendations/learning/training-data.js'
import {
  dayOf,
  type Fit,
  fittedWeights,
  Histories,
  type Interactions,
  maxForChoice,
  randomFrom,
  shapes,
  shares,
  type WeightedIds
} from '../../src/recommendations/model/index.js'
import { invocationOf, readersOf } from '../command-line.js'

const command = invocationOf('train')
const usage = `Usage: ${command.replace(/ --$/, '')}
       ${command} --events-out DIR
       ${command} --model-in FILE
  --events-out DIR  write the histories and the settings for a training on Apache Spark, without training
  --model-in FILE   store a model that was trained elsewhere`

interface Arguments {
  eventsOut: string | undefined
  modelIn: string | undefined
}

export const readArguments = (args: string[]): Arguments => {
  const options = { 'events-out': { type: 'string' }, 'model-in': { type: 'string' } } as const
  const { 'events-out': eventsOut, 'model-in': modelIn } = readersOf(usage).parsed({ args, options }).values
  if (eventsOut !== undefined && modelIn !== undefined) throw new Error(`Use either --events-out or --model-in\n${usage}`)
  if (eventsOut === '' || modelIn === '') throw new Error(`The path is empty\n${usage}`)
  return { eventsOut, modelIn }
}

/** Compressed files can only be read as a whole, so there must be enough of them for all workers. */
const eventsPerPart = 1_000_000

/** Files with a line per user: the ids of the titles, oldest first, and the days on which they were watched. */
class Parts {
  events = 0
  users = 0
  private part: Gzip | undefined
  private written: Promise<void> | undefined
  private count = 0

  constructor(private readonly folder: string) {}

  async add({ ids, times }: WeightedIds) {
    if (!this.part || this.events >= this.count * eventsPerPart) await this.next()
    this.events += ids.length
    this.users++
    // A file that cannot be written never drains.
    if (!this.part?.write(`${ids.join()}\t${times.map(dayOf).join()}\n`))
      await Promise.race([once(this.part as Gzip, 'drain'), this.written])
  }

  async end() {
    this.part?.end()
    await this.written
  }

  private async next() {
    await this.end()
    const file = createWriteStream(join(this.folder, `histories-${String(this.count++).padStart(5, '0')}.gz`))
    this.part = createGzip({ level: 1 })
    this.written = pipeline(this.part, file)
    // The error is handled where it is next awaited.
    this.written.catch(() => undefined)
  }
}

const emptied = async (folder: string) => {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new Refusal(`${folder} is not empty`)
}

interface Options {
  data: Pick<Data, 'allHistories' | 'contents'>
  interest: InterestSettings
  signal: AbortSignal
  onProgress: (progress: TrainingProgress) => void
}

export interface Written extends Omit<Fit, 'weights'> {
  shapes: typeof shapes
  shares: typeof shares
  weights: number[]
  users: number
  events: number
}

/**
 * A random sample of users with at most `maxEvents` events. Histories are added one by one, because together they may not fit into memory.
 */
export class Sample {
  private histories: WeightedIds[] = []
  private events = 0
  private share = 1
  private readonly random: () => number

  constructor(
    private readonly maxEvents: number,
    seed = 1
  ) {
    this.random = randomFrom(seed)
  }

  add(history: WeightedIds) {
    if (this.random() >= this.share) return
    this.histories.push(history)
    this.events += history.ids.length
    while (this.events > this.maxEvents && this.histories.length > 1) this.halve()
  }

  private halve() {
    this.share /= 2
    this.histories = this.histories.filter(() => this.random() < 0.5)
    this.events = this.histories.reduce((sum, { ids }) => sum + ids.length, 0)
  }

  interactions(): Interactions {
    const kept = new Histories()
    for (const history of this.histories) kept.add(history)
    return kept.interactions
  }
}

/**
 * Writes all histories to a folder, for a training elsewhere, and its settings, with weights fitted on a sample of the users. The settings
 * are written last; without them, the folder is incomplete.
 */
export const writeEvents = async (folder: string, { data, interest, signal, onProgress }: Options): Promise<Written> => {
  await emptied(folder)
  try {
    const total = await data.allHistories.estimatedSize()
    const parts = new Parts(folder)
    const sample = new Sample(maxForChoice)
    const all = await readTitles(data.contents)
    for await (const history of watchedTitles(data, all, interest, done => onProgress({ step: 'read', done, total }))) {
      signal.throwIfAborted()
      await parts.add(history)
      sample.add(history)
    }
    await parts.end()
    if (parts.users === 0) throw new Error('There are no histories. Nothing was written.')
    const fit = fittedWeights(sample.interactions(), onProgress)
    const written = { users: parts.users, events: parts.events, ...fit, shapes, shares, weights: [...fit.weights] }
    await writeFile(join(folder, 'settings.json'), `${JSON.stringify(written)}\n`)
    return written
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw signal.aborted ? new Error('Stopped. Nothing was written.') : error
  }
}
