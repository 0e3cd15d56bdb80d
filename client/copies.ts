import { signedOut } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { User } from './keeper.js'
import type { components } from './schema.js'
import type { Store } from './store.js'

type Changes = components['schemas']['Changes']

type Lists = Pick<Changes, keyof Changes['removed']>

/** The lists of a user as of the last sync, in the order in which the service lists them. */
export interface Copy extends Lists {
  /** How far the changes have been read. */
  cursor: string
  /** False after an interruption: there was more to read. */
  isComplete: boolean
}

interface Options {
  store: Store
  exclusively: Exclusively
  owner: () => Promise<User | undefined>
  changes: (owner: number, since: string | undefined) => Promise<Changes>
}

/** The fields by which each list is sorted, newest first. No two elements have the same values in both. */
const orders = {
  history: ['updated_at', '_id'],
  watchlist: ['created_at', 'id'],
  hidden: ['created_at', 'content_id'],
  ratings: ['created_at', 'content_id'],
  preferences: ['updated_at', 'content_id']
} as const satisfies { [Name in keyof Lists]: (keyof Lists[Name][number])[] }
const names = Object.keys(orders) as (keyof Lists)[]

const nothing: Lists = { history: [], watchlist: [], hidden: [], ratings: [], preferences: [] }

type Element = { content_id: number | null } & Record<string, unknown>

/** Dates on the wire have a fixed length, so they compare as strings. */
const newestFirst = (keys: readonly string[]) => (one: Element, other: Element) => {
  const key = keys.find(key => one[key] !== other[key]) as string
  return (one[key] as string) < (other[key] as string) ? 1 : -1
}

const changed = (list: Element[], removed: (number | null)[], elements: Element[], order: readonly string[]) => {
  const byContent = new Map(list.map(element => [element.content_id, element]))
  for (const content_id of removed) byContent.delete(content_id)
  for (const element of elements) byContent.set(element.content_id, element)
  return [...byContent.values()].sort(newestFirst(order))
}

const withChanges = (lists: Lists, { removed, cursor, more, ...changes }: Changes): Copy => ({
  ...(Object.fromEntries(names.map(name => [name, changed(lists[name], removed[name], changes[name], orders[name])])) as unknown as Lists),
  cursor,
  isComplete: !more
})

/** A copy of the lists of each user. Copy and cursor are one value, so that neither is ever stored without the other. */
export const createCopies = ({ store, exclusively, owner, changes }: Options) => {
  const nameOf = (id: number) => `copy-${id}` as const
  const drop = (id: number) => exclusively('copy', async () => store.save(nameOf(id), null))

  const load = async (id: number) => (await store.load(nameOf(id))) ?? undefined
  const readFrom = async (id: number, begun: Copy | undefined) => {
    let copy = begun
    do {
      const page = await changes(id, copy?.cursor)
      copy = withChanges(page.reset || !copy ? nothing : copy, page)
      await store.save(nameOf(id), copy)
    } while (!copy.isComplete)
    return copy
  }
  /** A copy that was dropped while the call waited for its turn must stay dropped, so the call must be aborted first. */
  const read = (id: number, signal?: AbortSignal) =>
    exclusively('copy', async () => {
      signal?.throwIfAborted()
      return readFrom(id, await load(id))
    })

  return {
    read,
    /** Applies what the stream has sent after a cursor. If the copy has another cursor, another tab or call has changed it. */
    take: (id: number, since: string, page: Changes) =>
      exclusively('copy', async () => {
        const copy = await load(id)
        if (copy?.cursor === page.cursor) return copy
        if (copy?.cursor !== since) return readFrom(id, copy)
        const next = withChanges(copy, page)
        await store.save(nameOf(id), next)
        return next
      }),

    sync: async () => {
      const user = await owner()
      if (!user) throw signedOut()
      return read(user.id)
    },

    copy: async () => {
      const user = await owner()
      return user && load(user.id)
    },

    dropCopy: async () => {
      const user = await owner()
      if (user) await drop(user.id)
    },
    forget: drop
  }
}
