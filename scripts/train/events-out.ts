import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip, type Gzip } from 'node:zlib'
import type { Data } from '../../src/data/index.js'
import type { InterestSettings } from '../../src/recommendations/interest.js'
import { Sample } from '../../src/recommendations/learning/sample.js'
import { readTitles } from '../../src/recommendations/learning/titles.js'
import type { TrainingProgress } from '../../src/recommendations/learning/training.js'
import { watchedTitles } from '../../src/recommendations/learning/watched-titles.js'
import { type Choice, chooseSettings, maxForChoice } from '../../src/recommendations/model/index.js'

/** Compressed files can only be read as a whole, so there have to be enough of them for all workers. */
const eventsPerPart = 1_000_000

/** Files with a line for each user: the ids of the titles, the oldest first. */
class Parts {
  events = 0
  users = 0
  private part: Gzip | undefined
  private written: Promise<void> | undefined
  private count = 0

  constructor(private readonly folder: string) {}

  async add(ids: number[]) {
    if (!this.part || this.events >= this.count * eventsPerPart) await this.next()
    this.events += ids.length
    this.users++
    // A file that cannot be written never drains.
    if (!this.part?.write(`${ids.join()}\n`)) await Promise.race([once(this.part as Gzip, 'drain'), this.written])
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
    // Whoever awaits it next handles the error.
    this.written.catch(() => undefined)
  }
}

const emptied = async (folder: string) => {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`)
}

interface Options {
  data: Pick<Data, 'allHistories' | 'contents'>
  interest: InterestSettings
  signal: AbortSignal
  onProgress: (progress: TrainingProgress) => void
}

export interface Written extends Choice {
  users: number
  events: number
}

/**
 * Writes all histories to a folder, for a training elsewhere, and the settings for it, chosen on a sample of the users. The settings
 * come last: without them the folder is incomplete.
 */
export const writeEvents = async (folder: string, { data, interest, signal, onProgress }: Options): Promise<Written> => {
  await emptied(folder)
  try {
    const total = await data.allHistories.estimatedSize()
    const parts = new Parts(folder)
    const sample = new Sample(maxForChoice)
    const all = await readTitles(data.contents)
    for await (const titles of watchedTitles(data, all, interest, done => onProgress({ step: 'read', done, total }))) {
      signal.throwIfAborted()
      const history = [...titles].reverse()
      const ids = history.map(([id]) => id)
      await parts.add(ids)
      sample.add({ ids, weights: history.map(([, weight]) => weight) })
    }
    await parts.end()
    if (parts.users === 0) throw new Error('There are no histories. Nothing was written.')
    const choice = chooseSettings(sample.interactions(), { holdOut: 'newest', onProgress })
    const written = { users: parts.users, events: parts.events, ...choice }
    await writeFile(join(folder, 'settings.json'), `${JSON.stringify(written)}\n`)
    return written
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw signal.aborted ? new Error('Stopped. Nothing was written.') : error
  }
}
