import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { MongoClient } from 'mongodb'
import { startService } from './contestants.js'
import { fillCatalogue, searchWord, searchWords } from './data.js'
import { type Goal, judged, once as single } from './goals.js'
import { pageTimes } from './page-times.js'
import { as } from './scenarios.js'
import type { Server } from './server.js'
import type { Sizes } from './sizes.js'
import type { Measure } from './statistics.js'

export interface Growth {
  title: string
  times: Map<string, Measure>
  goals: Goal[]
}

const to = (one: Measure | undefined, other: Measure | undefined) => single((one?.median ?? Number.NaN) / (other?.median ?? Number.NaN))
const elements = (count: number | undefined) => `${count} elements`
const contents = (count: number | undefined) => `${count} contents`

/** The first page of histories of different lengths, and the cards of the longest. `users` have those lengths, in order. */
export const growingHistories = async (service: Server, users: number[], { histories, requests }: Sizes): Promise<Growth> => {
  const pages = users.map((user, i) => ({ name: elements(histories[i]), server: service, headers: as(user), path: () => '/history' }))
  const longest = histories.at(-1)
  const cards = {
    name: `continue watching, ${elements(longest)}`,
    server: service,
    headers: as(users.at(-1) ?? 0),
    path: () => '/continue-watching'
  }
  // The cards by themselves: what they leave behind for the garbage collector would slow the page that comes next.
  const times = new Map([...(await pageTimes(pages, requests, 20)), ...(await pageTimes([cards], requests, 20))])
  const [shortest, ...longer] = pages.map(({ name }) => name)
  const bounds = [1.5, 4]
  return {
    title: 'First page of GET /history, ms',
    times,
    goals: [
      ...longer.map((name, i) =>
        judged(
          { goal: `first page at ${name} to ${shortest}`, issue: 5, unit: 'x', atMost: bounds[i] ?? 4 },
          to(times.get(name), times.get(shortest ?? ''))
        )
      ),
      judged({ goal: cards.name, issue: 5, unit: 'ms', atMost: 25 }, times.get(cards.name) as Measure)
    ]
  }
}

/** GET /contents, a search and the start of a process with catalogues of different sizes. */
export const growingCatalogues = async (
  client: MongoClient,
  url: string,
  { catalogues, requests, seed }: Sizes,
  say: (line: string) => void
): Promise<Growth> => {
  const databases = catalogues.map(size => ({ size, name: `contents-${size}` }))
  for (const { size, name } of databases) await fillCatalogue(client.db(name), size, seed, say)
  const services = await Promise.all(databases.map(({ name }) => startService(`${url}/${name}`)))
  const largest = databases.at(-1) as (typeof databases)[number]
  const server = services.at(-1) as Server

  const list = 'GET /contents'
  const filtered = 'GET /contents?type=episode&terms=7'
  const pagesOf = (name: string, path: string) =>
    services.map((server, i) => ({
      name: `${name}, ${contents(catalogues[i])}`,
      server,
      path: (n: number) => `${path}page=${1 + (n % 20)}`
    }))
  const search = `search, ${contents(largest.size)}, ${Math.floor(largest.size / searchWords)} matches`
  const times = new Map([
    ...(await pageTimes([...pagesOf(list, '/contents?'), ...pagesOf(filtered, '/contents?type=episode&terms=7&')], requests, 20)),
    // Each one for the first time, since an answer is kept.
    ...(await pageTimes(
      [{ name: search, server, path: n => `/contents?search=${searchWord(n)}&page=${1 + Math.floor(n / searchWords)}` }],
      requests,
      5
    ))
  ])
  for (const { stop } of services) await stop()
  const start = await readSkeleton(`${url}/${largest.name}`)

  const growth = (name: string) =>
    judged(
      { goal: `${name}, ${contents(largest.size)} to ${catalogues[0]}`, issue: 4, unit: 'x', atMost: 1.5 },
      to(times.get(`${name}, ${contents(largest.size)}`), times.get(`${name}, ${contents(catalogues[0])}`))
    )
  return {
    title: 'Page times by the size of the catalogue, ms',
    times,
    goals: [
      growth(list),
      growth(filtered),
      judged({ goal: search, issue: 4, unit: 'ms', atMost: 20 }, times.get(search) as Measure),
      judged({ goal: `skeleton of ${contents(start.contents)}, read in`, issue: 4, unit: 's', atMost: 3 }, single(start.seconds)),
      judged({ goal: `skeleton of ${contents(start.contents)}, memory`, issue: 4, unit: 'MB', atMost: 30 }, single(start.megabytes))
    ]
  }
}

const readSkeleton = async (MONGO_URL: string): Promise<{ contents: number; seconds: number; megabytes: number }> => {
  const child = fork(join(import.meta.dirname, 'skeleton-load.ts'), {
    execArgv: ['--expose-gc', '--import', 'tsx'],
    env: { ...process.env, MONGO_URL }
  })
  const [told] = await once(child, 'message')
  return told
}
