import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Document, MongoClient } from 'mongodb'
import { connectionTo } from '../../src/data/driver/connection.js'
import { ensureIndexes } from '../../src/data/index.js'
import { importFiles } from '../../src/import/index.js'
import { startMongod } from '../mongod/start.js'
import { choicesFrom } from './data/choices.js'
import { quantile } from './measures/statistics.js'

// Compares the import of contents with a bare unordered bulkWrite of the same documents.
// tsx scripts/bench/import.ts [CONTENTS] [ROUNDS]

const batch = 1000

const syllables = ['ba', 'lo', 'mir', 'ten', 'sa', 'vu', 'ker', 'ni', 'dro', 'fel', 'gan', 'hü', 'jo', 'pel', 'rat', 'zo']

const generator = () => {
  const { below, of } = choicesFrom(7)
  const word = () => Array.from({ length: 2 + below(2) }, () => of(syllables)).join('')
  const words = (count: number) => Array.from({ length: count }, word).join(' ')
  return (id: number) => ({
    id,
    // Every tenth item is a show that follows its episodes.
    type: id % 10 === 0 ? 'show' : 'episode',
    parent_id: id % 10 === 0 ? null : id - (id % 10) + 10,
    name: words(3),
    title: { en: words(3), de: words(3) },
    description: { en: words(14), de: words(14) },
    handler: 'harbourcast',
    handler_type: 'entry',
    handler_id: `1_${word()}${id}`,
    weight: below(100),
    thumbnail: `https://images.example.com/${id}.jpg`,
    keywords: words(4),
    position: id % 10,
    start_date: new Date(1.6e12 + below(1e9)).toISOString(),
    countries_exclude: id % 7 === 0 ? ['US'] : null,
    plans: { 2: { id: '2', vendor_name: 'premium' } },
    link: `https://www.example.com/${id}`
  })
}

const writeFile = async (path: string, count: number) => {
  const next = generator()
  const file = createWriteStream(path)
  // Rounded up, so that the last episodes have their show.
  const last = Math.ceil(count / 10) * 10
  for (let id = 1; id <= last; id++) if (!file.write(`${JSON.stringify(next(id))}\n`)) await once(file, 'drain')
  file.end()
  await once(file, 'finish')
  return last
}

interface Measured {
  milliseconds: number
  peakMegabytes: number
}

/** Runs in a child process, so that the peak memory is that of the import alone. */
const importHere = async (url: string, path: string): Promise<Measured> => {
  const { client, db } = connectionTo(url)
  await ensureIndexes(db)
  const began = performance.now()
  await importFiles(db, [path])
  const milliseconds = performance.now() - began
  await client.close()
  return { milliseconds, peakMegabytes: process.resourceUsage().maxRSS / 1024 }
}

const measureImport = async (url: string, path: string): Promise<Measured> => {
  const script = fileURLToPath(import.meta.url)
  const child = spawn(process.execPath, ['--import', 'tsx', script, 'child', url, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(child.stdout))
}

/** Measures only the writes, not the reading of the documents. */
const measureBare = async (client: MongoClient, from: string, to: string) => {
  await ensureIndexes(client.db(to))
  const target = client.db(to).collection('contents')
  let milliseconds = 0
  let documents: Document[] = []
  const flush = async () => {
    if (documents.length === 0) return
    const operations = documents.map(document => ({ insertOne: { document } }))
    const began = performance.now()
    await target.bulkWrite(operations, { ordered: false, writeConcern: { w: 'majority' } })
    milliseconds += performance.now() - began
    documents = []
  }
  for await (const document of client.db(from).collection('contents').find().sort({ _id: 1 })) {
    documents.push(document)
    if (documents.length === batch) await flush()
  }
  await flush()
  return milliseconds
}

const compare = async (wanted: number, rounds: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'viewer-bench-'))
  const path = join(folder, 'contents.ndjson')
  const mongod = await startMongod({ say: console.error, cacheGB: 2 })
  const client = await MongoClient.connect(mongod.url)
  try {
    const count = await writeFile(path, wanted)
    const rate = (milliseconds: number) => Math.round((count * 1000) / milliseconds)
    console.log(`${count} contents, ${Math.round((await stat(path)).size / 1e6)} MB, ${rounds} rounds`)
    const ratios: number[] = []
    for (let round = 1; round <= rounds; round++) {
      const ours = await measureImport(`${mongod.url}/ours`, path)
      const bare = await measureBare(client, 'ours', 'bare')
      const ratio = bare / ours.milliseconds
      ratios.push(ratio)
      console.log(
        `import ${rate(ours.milliseconds)}/s, bare bulkWrite ${rate(bare)}/s, ratio ${ratio.toFixed(2)}, peak of the import ${Math.round(ours.peakMegabytes)} MB`
      )
      await client.db('ours').dropDatabase()
      await client.db('bare').dropDatabase()
    }
    console.log(`ratio ${quantile(ratios, 0.5).toFixed(2)} (goal: at least 0.5)`)
  } finally {
    await client.close()
    await mongod.stop()
    await rm(folder, { recursive: true })
  }
}

const [first = '20000', second = '3', third = ''] = process.argv.slice(2)
if (first === 'child') console.log(JSON.stringify(await importHere(second, third)))
else await compare(Number(first), Number(second))
