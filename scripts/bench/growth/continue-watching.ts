import type { MongoClient } from 'mongodb'
import { ensureIndexes } from '../../../src/data/index.js'
import { fillCatalogue } from '../data/catalogue.js'
import { fillHistories } from '../data/histories.js'
import { as } from '../load/call.js'
import { judged } from '../measures/goals.js'
import { pageCosts } from '../measures/page-times.js'
import type { Options } from '../options.js'
import { grouped } from '../report/format.js'
import type { Section } from '../report/section.js'
import { startService } from '../servers/contestants.js'
import { type Curve, curvesSection, growthOf } from './curves.js'

/** The service looks at 2,000 elements, so more of them must cost no more. */
const lengths = [2000, 10_000, 100_000]
const page = 'GET /continue-watching'

/** Measures the cards of users whose histories have these lengths, against a page of history. */
export const growingContinueWatching = async (
  client: MongoClient,
  url: string,
  { contents, requests, seed }: Options,
  say: (line: string) => void
): Promise<Section> => {
  const db = client.db('continue-watching')
  say(`histories of ${lengths.map(grouped).join(', ')} elements`)
  await fillCatalogue(db, contents, seed)
  await fillHistories(db, lengths, seed)
  await ensureIndexes(db)
  await client.db('admin').command({ fsync: 1 })

  const service = await startService(`${url}/${db.databaseName}`)
  try {
    const pages = ['/history', ...lengths.map(() => '/continue-watching')]
    const [history, ...costs] = await pageCosts(
      pages.map((path, i) => ({ server: service, call: () => ({ path, headers: as(Math.max(i, 1)) }) })),
      { db, requests }
    )
    const cards: Curve = { name: page, costs }
    const shortest = grouped(lengths[0] ?? 0)
    const ofHistory = (costs.at(-1)?.time.median ?? Number.NaN) / (history?.time.median ?? Number.NaN)
    return curvesSection({
      title: 'Continue watching by the length of the history',
      remark: 'Sequential requests, alternating between users whose histories have these lengths.',
      file: 'continue-watching',
      of: 'elements',
      sizes: lengths,
      curves: [cards],
      goals: [
        ...lengths
          .slice(1)
          .map((size, i) =>
            judged({ goal: `${page} at ${grouped(size)} elements to ${shortest}`, unit: 'x', atMost: 1.3 }, growthOf(cards, i + 1))
          ),
        judged({ goal: `${page} to GET /history, in long histories`, unit: 'x', atMost: 4 }, ofHistory),
        judged({ goal: `${page}, on the database`, unit: 'operations', atMost: 3 }, costs.at(-1)?.operations ?? Number.NaN)
      ]
    })
  } finally {
    await service.stop()
    await db.dropDatabase()
  }
}
