import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Document, MongoClient } from 'mongodb'
import { ensureIndexes } from '../../src/data/index.js'
import { importFiles } from '../../src/import/index.js'
import { contentOf, randomTexts } from './data/catalogue.js'
import { generate } from './data/generate.js'
import type { Options } from './options.js'
import type { Section } from './report.js'
import { measureOf, spread } from './statistics.js'

const count = 20_000
const batch = 1000

/** Compares the import of contents with a bare unordered bulkWrite of the same documents. */
export const importing = async (client: MongoClient, { rounds }: Options, progress: (line: string) => void): Promise<Section> => {
  const [ours, bare] = [client.db('import-ours'), client.db('import-bare')]
  const folder = await mkdtemp(join(tmpdir(), 'viewer-bench-'))
  const times: { ours: number; bare: number }[] = []
  try {
    await writeFile(join(folder, 'contents.ndjson'), lines())
    for (let round = 0; round <= rounds; round++) {
      progress(`import: round ${round} of ${rounds}`)
      for (const db of [ours, bare]) {
        await db.dropDatabase()
        await ensureIndexes(db)
      }
      const time = {
        ours: await timed(() => importFiles(ours, [join(folder, 'contents.ndjson')])),
        bare: await writeBare(bare.collection('contents'), await ours.collection('contents').find().toArray())
      }
      // The first round is not counted.
      if (round > 0) times.push(time)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  const rate = (of: 'ours' | 'bare') => spread(measureOf(times.map(time => (count * 1000) / time[of])))
  const title = `Import of ${count} contents`
  return {
    title,
    table: [
      ['', 'contents/s'],
      ['import', rate('ours')],
      ['bare bulkWrite', rate('bare')]
    ],
    goals: [
      {
        goal: `${title}, contents/s to bare bulkWrite`,
        unit: 'x',
        atLeast: 0.5,
        value: measureOf(times.map(({ ours, bare }) => bare / ours))
      }
    ]
  }
}

/** The lines of an import file, without terms, which would have to exist. */
const lines = () => {
  const texts = randomTexts()
  const line = (n: number) => {
    const { _id: id, words, digest, stamp, terms, ...record } = contentOf(n, count, texts)
    return `${JSON.stringify({ id, ...record })}\n`
  }
  return [...generate(count, line)].join('')
}

const timed = async (run: () => Promise<unknown>) => {
  const began = performance.now()
  await run()
  return performance.now() - began
}

const writeBare = async (target: ReturnType<ReturnType<MongoClient['db']>['collection']>, documents: Document[]) => {
  let milliseconds = 0
  for (let first = 0; first < documents.length; first += batch) {
    const operations = documents.slice(first, first + batch).map(document => ({ insertOne: { document } }))
    milliseconds += await timed(() => target.bulkWrite(operations, { ordered: false, writeConcern: { w: 'majority' } }))
  }
  return milliseconds
}
