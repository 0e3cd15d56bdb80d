import type { Db } from 'mongodb'
import { choicesFrom } from '../data/choices.js'
import { as, type Call, requestBytes } from '../load/call.js'
import { judged } from '../measures/goals.js'
import { inRounds } from '../measures/rounds.js'
import { single } from '../measures/statistics.js'
import type { Options } from '../options.js'
import { grouped } from '../report/format.js'
import type { Section } from '../report/section.js'
import type { Server } from '../servers/server.js'
import { tableOf } from './compare.js'
import { calls, publicPaths } from './scenarios.js'

type CallOfUser = (user: number, n: number) => Call

const to =
  (path: string): CallOfUser =>
  () => ({ path })

/** A hundred requests of players: heartbeats, lists, and occasional reads. */
const shares: [number, CallOfUser][] = [
  [70, calls.put],
  [5, to('/history')],
  [5, to('/watchlist')],
  [5, to('/continue-watching')],
  [5, calls.element],
  [2, to('/recommendations')],
  [3, to(publicPaths.contents)],
  [2, (user, n) => ({ path: `/contents/${1 + ((user * 7 + n) % 100)}` })],
  [1, to(publicPaths.rails)],
  [1, to(publicPaths.terms)],
  [1, to(publicPaths.legal)]
]
const deck = shares.flatMap(([count, call]) => Array<CallOfUser>(count).fill(call))
const callsOfEach = 25

const mixed = ({ users, seed }: Options): Call[] => {
  const random = choicesFrom(seed)
  return Array.from({ length: users * callsOfEach }, (_, n) => {
    const user = 1 + random.below(users)
    return { ...random.of(deck)(user, n), headers: as(user) }
  })
}

/** Measures a realistic mix of requests, and the memory of the service afterwards. The service must be freshly started. */
export const mix = async (service: Server, db: Db, options: Options, progress: (line: string) => void): Promise<Section> => {
  const memory = async () => (await service.usage()).rss / 1e6
  const title = 'The mix of players: 70 % PUT /history/{id}, 15 % lists, 15 % other reads'
  const before = await memory()
  const results = await inRounds([{ name: 'service', server: service, requests: mixed(options).map(requestBytes) }], {
    ...options,
    db,
    reset: async () => {},
    progress: line => progress(`mix: ${line}`)
  })
  const after = await memory()
  return {
    title,
    remark: 'On a freshly started service.',
    table: [...tableOf(results), ['memory before, MB', before.toFixed(0)], ['memory after, MB', after.toFixed(0)]],
    goals: [
      judged({ goal: `resident memory after the mix, ${grouped(options.contents)} contents`, unit: 'MB', atMost: 200 }, single(after))
    ],
    figures: { results, memory: { before, after } }
  }
}
