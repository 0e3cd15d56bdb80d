import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Asked, ask, askAndHangUp } from './ask.js'
import type { Ledger } from './ledger.js'
import type { Outcomes } from './outcomes.js'

export interface ViewersOptions {
  count: number
  /** The port that the n-th viewer uses. */
  portOf: (n: number) => number
  /** An agent for HTTPS if the port speaks TLS. */
  agent?: Agent
  /** Milliseconds between a response and the next request. */
  pause: number
  /** The number of content items. Their ids start at 1. */
  contents: number
  /** The user id of the first viewer. Each viewer is a different user. */
  firstUser?: number
  outcomes: Outcomes
  ledger: Ledger
  /** Whether some requests are aborted halfway. */
  hangUp?: boolean
}

/** Milliseconds to wait after a connection broke. */
const pauseAfterFailure = 20
const reads = [
  '/history',
  '/contents',
  '/watchlist',
  '/recommendations',
  '/continue-watching',
  '/history?status=in_progress',
  '/contents?type=film'
]
/** Requests per cycle: one read, one addition to the watchlist, and reports as players send them. */
const cycle = 5
const hangUpEach = 50

/** Viewers who report their position and browse, one request at a time each, until they are stopped. */
export const startViewers = (options: ViewersOptions) => {
  const { count, portOf, pause, contents, firstUser = 1, outcomes, ledger, hangUp } = options
  const { agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }) } = options
  let isStopped = false

  const watch = async (n: number) => {
    const user = firstUser + n
    const elements = new Map<number, string>()
    const send = async (asked: Omit<Asked, 'user'>): Promise<Answer | undefined> => {
      const answer = await outcomes.of(ask(agent, portOf(n), { ...asked, user }))
      if (!answer) await sleep(pauseAfterFailure)
      return answer && answer.status < 300 ? answer : undefined
    }

    const report = async (turn: number) => {
      const content_id = 1 + ((n * 7 + (turn % 3)) % contents)
      const id = elements.get(content_id)
      const write = ledger.reporting(user, content_id, turn)
      const body = { time: turn, percentage: turn % 100 }
      const answer = await send(
        id ? { method: 'PUT', path: id, body } : { method: 'POST', path: '/history', body: { content_id, ...body } }
      )
      if (!answer) return
      write.acknowledge()
      if (answer.headers.location) elements.set(content_id, answer.headers.location)
    }

    const save = async (turn: number) => {
      const content_id = 1 + (turn % contents)
      if (await send({ method: 'POST', path: '/watchlist', body: { content_id } })) ledger.acknowledgeSaved(user, content_id)
    }

    for (let turn = 1; !isStopped; turn++) {
      if (turn % cycle === 0) await send({ path: reads[(turn / cycle + n) % reads.length] as string })
      else if (turn % cycle === 1) await save(turn)
      else await report(turn)
      if (hangUp && turn % hangUpEach === 0)
        askAndHangUp(agent, portOf(n), { path: reads[(turn / hangUpEach) % reads.length] as string, user }, turn % 7)
      await sleep(pause)
    }
  }

  const all = Promise.all(Array.from({ length: count }, (_, n) => watch(n)))
  return {
    stop: async () => {
      isStopped = true
      await all
      agent.destroy()
    }
  }
}
