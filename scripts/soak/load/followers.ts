import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { createCopies } from '../../../client/copies.js'
import { createMemory } from '../../../client/store.js'
import type { Answer } from './ask.js'
import type { Outcomes } from './outcomes.js'

interface Options {
  users: number[]
  ask: (user: number, path: string) => Promise<Answer>
  outcomes: Outcomes
}

/** Milliseconds between two looks of a follower. */
const pause = 1000
const lists = ['history', 'watchlist', 'hidden'] as const

interface Listed {
  collection: { content: object }[]
  meta: { next_page: number | false }
}

/** Apps that keep copies of the lists of some viewers, as the client does, and ask now and then what has changed. */
export const startFollowers = ({ users, ask, outcomes }: Options) => {
  let isStopped = false

  const read = async (user: number, path: string) => {
    const answer = await outcomes.of(ask(user, path))
    if (answer?.status !== 200) throw new Error(`No answer to ${path}`)
    return JSON.parse(answer.body).data
  }
  const copiesOf = (user: number) =>
    createCopies({
      store: createMemory(),
      exclusively: (_name, work) => work(),
      owner: async () => ({ id: user, email: '', name: '' }),
      // Small pages, so that a fault may come between two pages of one sync.
      changes: (_, since) => read(user, `/changes?perPage=20${since === undefined ? '' : `&since=${since}`}`)
    })
  const followers = users.map(user => ({ user, copies: copiesOf(user) }))
  const follow = async ({ copies }: (typeof followers)[number]) => {
    while (!isStopped) {
      // After a failure, the next sync continues where this one stopped.
      await copies.sync().catch(() => undefined)
      await sleep(pause)
    }
  }
  const following = Promise.all(followers.map(follow))

  const listOf = async (user: number, list: string) => {
    const elements: object[] = []
    for (let page: number | false = 1; page; ) {
      const { collection, meta }: Listed = await read(user, `/${list}?perPage=100&page=${page}`)
      elements.push(...collection.map(({ content: _, ...element }) => element))
      page = meta.next_page
    }
    return elements
  }

  return {
    stop: async () => {
      isStopped = true
      await following
    },

    /** Stops the followers, and resolves with the copies that differ from the lists, and the number of elements in all copies. */
    compare: async () => {
      isStopped = true
      await following
      const different: string[] = []
      let elements = 0
      for (const { user, copies } of followers) {
        const copy = await copies.sync()
        for (const list of lists) {
          elements += copy[list].length
          if (!isDeepStrictEqual(copy[list], await listOf(user, list))) different.push(`${list} of ${user}`)
        }
      }
      return { different, elements }
    }
  }
}
