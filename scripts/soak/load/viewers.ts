import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Asked, ask, askAndHangUp } from './ask.js'
import type { Ledger } from './ledger.js'
import type { Outcomes } from './outcomes.js'

export interface ViewersOptions {
  count: number
  /** Where the n-th viewer asks. */
  portOf: (n: number) => number
  /** Milliseconds between an answer and the next request. */
  pause: number
  /** Contents that there are, from 1 on. */
  contents: number
  /** Of the first one; each has a user of its own. */
  firstUser?: number
  outcomes: Outcomes
  ledger: Ledger
  /** Whether some requests are given up in the middle. */
  hangUp?: boolean
}

/** Until then nothing is asked of a service that has just broken off. */
const breath = 20
const reads = [
  '/history',
  '/contents',
  '/watchlist',
  '/recommendations',
  '/continue-watching',
  '/history?status=in_progress',
  '/contents?type=film'
]
/** Of so many requests one is a read, one a new element of the watchlist; the others are reports, as those of players are. */
const cycle = 5
const hangUpEach = 50

/** Viewers who report where they are and look around, each one request at a time, until they are told to stop. */
export const startViewers = (options: ViewersOptions) => {
  const { count, portOf, pause, contents, firstUser = 1, outcomes, ledger, hangUp } = options
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  let isStopped = false

  const watch = async (n: number) => {
    const user = firstUser + n
    const elements = new Map<number, string>()
    const send = async (asked: Omit<Asked, 'user'>): Promise<Answer | undefined> => {
      const answer = await outcomes.of(ask(agent, portOf(n), { ...asked, user }))
      if (!answer) await sleep(breath)
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
