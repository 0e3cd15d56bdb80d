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
const cards = 'GET /continue-watching'

/** Measures the first page and the cards of histories of different lengths. `users` have these lengths, in order. */
export const growingHistories = async (
  service: Server,
  db: Db,
  users: number[],
  { histories, requests }: Pick<Options, 'histories' | 'requests'>
): Promise<Section> => {
  const costsOf = (path: string, whose: number[]) =>
    pageCosts(
      whose.map(user => ({ server: service, call: () => ({ path, headers: as(user) }) })),
      { db, requests }
    )
  const pages: Curve = { name: page, costs: await costsOf(page.slice(4), users) }
  // One length at a time, because the garbage of long histories would slow down the next request.
  const cardCurve: Curve = { name: cards, costs: [] }
  for (const user of users) cardCurve.costs.push(...(await costsOf(cards.slice(4), [user])))

  const [shortest = 0, ...longer] = histories.map(grouped)
  const longest = cardCurve.costs.at(-1)
  return curvesSection({
    title: 'Page time by the length of the history',
    remark: 'Sequential requests, alternating between users whose histories have these lengths.',
    file: 'histories',
    of: 'elements',
    sizes: histories,
    curves: [pages, cardCurve],
    goals: [
      ...longer.map((size, i) =>
        judged({ goal: `${page} at ${size} elements to ${shortest}`, unit: 'x', atMost: bounds[i] ?? 4 }, growthOf(pages, i + 1))
      ),
      judged({ goal: `${cards} at ${grouped(histories.at(-1) ?? 0)} elements`, unit: 'ms', atMost: 25 }, longest?.time ?? Number.NaN),
      judged(
        { goal: `${cards} at ${grouped(histories.at(-1) ?? 0)} elements, on the database`, unit: 'operations', atMost: 3 },
        longest?.operations ?? Number.NaN
      )
    ]
  })
}
