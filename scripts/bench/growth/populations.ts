import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, MongoClient } from 'mongodb'
import { ensureIndexes } from '../../../src/data/index.js'
import { popularityOf } from '../../../src/data/popularity.js'
import { fillCatalogue } from '../data/catalogue.js'
import { choicesFrom } from '../data/choices.js'
import { fillHistories } from '../data/histories.js'
import { as, requestBytes } from '../load/call.js'
import { callerAt, succeed } from '../load/caller.js'
import { judged } from '../measures/goals.js'
import { pageCosts } from '../measures/page-times.js'
import type { Options } from '../options.js'
import { grouped } from '../report/format.js'
import type { Section } from '../report/section.js'
import { startService } from '../servers/contestants.js'
import type { Server } from '../servers/server.js'
import { type Curve, curvesSection, growthOf } from './curves.js'

/** Elements per user. Only the number of users matters. */
const historyOfEach = 10
const contents = 2000
const perPage = 100

/** Measures GET /history of random users in databases with different numbers of users. */
export const growingPopulations = async (
  client: MongoClient,
  url: string,
  { populations, requests, seed }: Options,
  say: (line: string) => void
): Promise<Section> => {
  const databases = populations.map(users => client.db(`users-${users}`))
  for (const [i, db] of databases.entries()) {
    say(`${grouped(populations[i] ?? 0)} users with ${historyOfEach} elements each`)
    await fillCatalogue(db, contents, seed)
    await fillHistories(db, Array<number>(populations[i] ?? 0).fill(historyOfEach), seed)
    await ensureIndexes(db)
  }
  // Otherwise mongod would write all of it to disk during the measurement.
  await client.db('admin').command({ fsync: 1 })

  const services: Server[] = []
  try {
    for (const db of databases) services.push(await startService(`${url}/${db.databaseName}`))
    say('waiting for the first count of popular titles')
    for (const db of databases) await popularityCounted(db)

    for (const service of services) await readContents(service)

    const random = choicesFrom(seed)
    const curve: Curve = {
      name: 'GET /history',
      costs: await pageCosts(
        services.map((server, i) => ({ server, call: () => ({ path: '/history', headers: as(1 + random.below(populations[i] ?? 0)) }) })),
        { db: databases[0] as Db, requests: requests * 2 }
      )
    }
    const largest = populations.at(-1) ?? 0
    const goal = `GET /history, ${grouped(largest)} users to ${grouped(populations[0] ?? 0)}`
    return curvesSection({
      title: 'Page time by the number of users',
      remark: 'Sequential requests, alternating between databases with these numbers of users, ten elements each.',
      file: 'users',
      of: 'users',
      sizes: populations,
      curves: [curve],
      goals: [
        judged({ goal, unit: 'x', atMost: 1.5 }, growthOf(curve)),
        judged(
          { goal: `GET /history, ${grouped(largest)} users, on the database`, unit: 'operations', atMost: 2 },
          curve.costs.at(-1)?.operations ?? Number.NaN
        )
      ]
    })
  } finally {
    for (const { stop } of services) await stop()
    for (const db of databases) await db.dropDatabase()
  }
}

/** Fills the cache of the service, as if it had run for a while. */
const readContents = async ({ port }: Server) => {
  const caller = await callerAt(port)
  for (let page = 1; page <= contents / perPage; page++)
    await succeed(caller, requestBytes({ path: `/contents?perPage=${perPage}&page=${page}` }))
  caller.end()
}

/** The first count reads all histories and would disturb the measurement. */
const popularityCounted = async (db: Db) => {
  const popularity = popularityOf(db)
  while (!(await popularity.counted())) await sleep(200)
}
