import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MongoClient } from 'mongodb'
import { ensureIndexes } from '../../../src/data/index.js'
import { usualHistory } from '../comparisons/scenarios.js'
import { fillCatalogue, searchWord, searchWords } from '../data/catalogue.js'
import { fillHistories } from '../data/histories.js'
import { trainOn } from '../data/model.js'
import { as, type Call } from '../load/call.js'
import { judged } from '../measures/goals.js'
import { pageCosts } from '../measures/page-times.js'
import type { Options } from '../options.js'
import { digits, grouped } from '../report/format.js'
import type { Section } from '../report/section.js'
import { startService } from '../servers/contestants.js'
import { isServing, type Server } from '../servers/server.js'
import { type Curve, curvesSection, growthOf } from './curves.js'

const list = 'GET /contents'
const similar = 'GET /contents/{id}/similar'
const filtered = 'GET /contents?type=episode&terms=7'
/** Users with a history, who are asked for in turn. */
const users = 20

/** Measures lists, the start page, a search and the startup of a process with catalogues of different sizes. */
export const growingCatalogues = async (
  client: MongoClient,
  url: string,
  { catalogues, requests, seed }: Options,
  say: (line: string) => void
): Promise<Section> => {
  const names = catalogues.map(size => `contents-${size}`)
  for (const [i, size] of catalogues.entries()) {
    say(`a catalogue of ${grouped(size)} contents`)
    const db = client.db(names[i])
    await fillCatalogue(db, size, seed)
    await fillHistories(db, Array<number>(users).fill(usualHistory), seed)
    await ensureIndexes(db)
    await trainOn(db)
  }
  const services: Server[] = []
  try {
    for (const name of names) services.push(await startService(`${url}/${name}`))
    await Promise.all(services.map(searchReady))
    const db = client.db(names[0])
    const curveOf = async (name: string, call: (n: number) => Call): Promise<Curve> => ({
      name,
      costs: await pageCosts(
        services.map(server => ({ server, call })),
        { db, requests }
      )
    })
    const pages = (path: string) => (n: number) => ({ path: `${path}page=${1 + (n % 20)}` })
    const lists = [
      await curveOf(list, pages('/contents?')),
      await curveOf(filtered, pages('/contents?type=episode&terms=7&')),
      await curveOf(similar, n => ({ path: `/contents/${1 + (n % 20)}/similar` })),
      await curveOf('GET /schedule/now', () => ({ path: '/schedule/now' })),
      await curveOf('GET /home', () => ({ path: '/home' })),
      await curveOf(`GET /home (history of ${usualHistory})`, n => ({ path: '/home', headers: as(1 + (n % users)) }))
    ]
    const firstSimilar = await curveOf(`${similar}, not asked before`, n => ({ path: `/contents/${21 + n}/similar` }))
    const search: Curve = {
      name: 'GET /contents?search=',
      costs: await pageCosts(
        // Every search is new, because responses are cached.
        services.map(server => ({
          server,
          call: n => ({ path: `/contents?search=${searchWord(n)}&page=${1 + Math.floor(n / searchWords)}` })
        })),
        { db, requests, warmUp: 5 }
      )
    }
    const start = await readSkeleton(`${url}/${names.at(-1)}`)

    const largest = grouped(catalogues.at(-1) ?? 0)
    const smallest = grouped(catalogues[0] ?? 0)
    const matches = grouped(Math.floor((catalogues.at(-1) ?? 0) / searchWords))
    const skeleton = `skeleton of ${grouped(start.contents)} contents`
    return curvesSection({
      title: 'Page time by the size of the catalogue',
      remark:
        'Sequential requests, alternating between services with catalogues of these sizes, and 5 rails for each 1,000 contents (at least 25). Every search is new, because responses are cached.',
      file: 'catalogues',
      of: 'contents',
      sizes: catalogues,
      curves: [...lists, firstSimilar, search],
      others: [[`${skeleton}: read in ${digits(start.seconds)} s, ${digits(start.megabytes)} MB`]],
      goals: [
        ...lists.map(curve =>
          judged({ goal: `${curve.name}, ${largest} contents to ${smallest}`, unit: 'x', atMost: 1.5 }, growthOf(curve))
        ),
        judged(
          { goal: `a search in ${largest} contents, ${matches} matches`, unit: 'ms', atMost: 20 },
          search.costs.at(-1)?.time ?? Number.NaN
        ),
        judged({ goal: `${skeleton}, read in`, unit: 's', atMost: 3 }, start.seconds),
        judged({ goal: `${skeleton}, memory`, unit: 'MB', atMost: 30 }, start.megabytes)
      ]
    })
  } finally {
    for (const { stop } of services) await stop()
    for (const name of names) await client.db(name).dropDatabase()
  }
}

/** After its start, a process is busy reading the words of all contents, and refuses searches. */
const searchReady = async ({ port }: Server) => {
  while (!(await isServing(`http://127.0.0.1:${port}/contents?search=${searchWord(0)}`))) await sleep(100)
}

const readSkeleton = async (MONGO_URL: string): Promise<{ contents: number; seconds: number; megabytes: number }> => {
  const child = fork(join(import.meta.dirname, 'skeleton-load.ts'), {
    execArgv: ['--expose-gc', '--import', 'tsx'],
    env: { ...process.env, MONGO_URL }
  })
  const [measured] = await once(child, 'message')
  return measured
}
