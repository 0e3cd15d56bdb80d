import type { Db } from 'mongodb'
import { as } from '../load/call.js'
import { judged } from '../measures/goals.js'
import { pageCosts } from '../measures/page-times.js'
import type { Options } from '../options.js'
import { grouped } from '../report/format.js'
import type { Section } from '../report/section.js'
import type { Server } from '../servers/server.js'
import { type Curve, curvesSection, growthOf } from './curves.js'

const bounds = [1.5, 4]
const page = 'GET /history'

/** Measures the first page of histories of different lengths. `users` have these lengths, in order. */
export const growingHistories = async (
  service: Server,
  db: Db,
  users: number[],
  { histories, requests }: Pick<Options, 'histories' | 'requests'>
): Promise<Section> => {
  const pages: Curve = {
    name: page,
    costs: await pageCosts(
      users.map(user => ({ server: service, call: () => ({ path: page.slice(4), headers: as(user) }) })),
      { db, requests }
    )
  }
  const [shortest = 0, ...longer] = histories.map(grouped)
  return curvesSection({
    title: 'Page time by the length of the history',
    remark: 'Sequential requests, alternating between users whose histories have these lengths.',
    file: 'histories',
    of: 'elements',
    sizes: histories,
    curves: [pages],
    goals: longer.map((size, i) =>
      judged({ goal: `${page} at ${size} elements to ${shortest}`, unit: 'x', atMost: bounds[i] ?? 4 }, growthOf(pages, i + 1))
    )
  })
}
