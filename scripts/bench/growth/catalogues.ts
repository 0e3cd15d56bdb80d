import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { MongoClient } from 'mongodb'
import { ensureIndexes } from '../../../src/data/index.js'
import { fillCatalogue, searchWord, searchWords } from '../data/catalogue.js'
import { judged } from '../measures/goals.js'
import { pageCosts } from '../measures/page-times.js'
import type { Options } from '../options.js'
import { digits, grouped } from '../report/format.js'
import type { Section } from '../report/section.js'
import { startService } from '../servers/contestants.js'
import type { Server } from '../servers/server.js'
import { type Curve, curvesSection, growthOf } from './curves.js'

const list = 'GET /contents'
const filtered = 'GET /contents?type=episode&terms=7'

/** Measures GET /contents, a search and the startup of a process with catalogues of different sizes. */
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
    await ensureIndexes(db)
  }
  const services: Server[] = []
  try {
    for (const name of names) services.push(await startService(`${url}/${name}`))
    const db = client.db(names[0])
    const curveOf = async (name: string, path: string): Promise<Curve> => ({
      name,
      costs: await pageCosts(
        services.map(server => ({ server, call: n => ({ path: `${path}page=${1 + (n % 20)}` }) })),
        { db, requests }
      )
    })
    const lists = [await curveOf(list, '/contents?'), await curveOf(filtered, '/contents?type=episode&terms=7&')]
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
        'Sequential requests, alternating between services with catalogues of these sizes. Every search is new, because responses are cached.',
      file: 'catalogues',
      of: 'contents',
      sizes: catalogues,
      curves: [...lists, search],
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

const readSkeleton = async (MONGO_URL: string): Promise<{ contents: number; seconds: number; megabytes: number }> => {
  const child = fork(join(import.meta.dirname, 'skeleton-load.ts'), {
    execArgv: ['--expose-gc', '--import', 'tsx'],
    env: { ...process.env, MONGO_URL }
  })
  const [measured] = await once(child, 'message')
  return measured
}
