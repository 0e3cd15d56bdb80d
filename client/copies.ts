import { signedOut } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { User } from './keeper.js'
import type { components } from './schema.js'
import type { Store } from './store.js'

type Changes = components['schemas']['Changes']

/** The lists of a user as of the last sync, in the order in which the service lists them. */
export interface Copy extends Pick<Changes, 'history' | 'watchlist' | 'hidden'> {
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

const nothing = { history: [], watchlist: [], hidden: [] }

/** Dates on the wire have a fixed length, so they compare as texts. */
const newestFirst =
  <Element>(...keys: (keyof Element)[]) =>
  (one: Element, other: Element) => {
    // No two elements are the same in all keys.
    const key = keys.find(key => one[key] !== other[key]) as keyof Element
    return one[key] < other[key] ? 1 : -1
  }

const changed = <Element extends { content_id: number }>(
  list: Element[],
  removed: number[],
  elements: Element[],
  order: (one: Element, other: Element) => number
) => {
  const byContent = new Map(list.map(element => [element.content_id, element]))
  for (const content_id of removed) byContent.delete(content_id)
  for (const element of elements) byContent.set(element.content_id, element)
  return [...byContent.values()].sort(order)
}

const withChanges = (
  { history, watchlist, hidden }: Pick<Copy, 'history' | 'watchlist' | 'hidden'>,
  { removed, cursor, more, ...changes }: Changes
): Copy => ({
  history: changed(history, removed.history, changes.history, newestFirst('updated_at', '_id')),
  watchlist: changed(watchlist, removed.watchlist, changes.watchlist, newestFirst('created_at', 'id')),
  hidden: changed(hidden, removed.hidden, changes.hidden, newestFirst('created_at', 'content_id')),
  cursor,
  isComplete: !more
})

/** A copy of the lists of each user. It is one value with its cursor, so that neither is ever stored without the other. */
export const createCopies = ({ store, exclusively, owner, changes }: Options) => {
  const nameOf = (id: number) => `copy-${id}` as const
  const drop = (id: number) => exclusively('copy', async () => store.save(nameOf(id), null))

  return {
    sync: async () => {
      const user = await owner()
      if (!user) throw signedOut()
      return exclusively('copy', async () => {
        let copy = (await store.load(nameOf(user.id))) ?? undefined
        do {
          const page = await changes(user.id, copy?.cursor)
          copy = withChanges(page.reset || !copy ? nothing : copy, page)
          await store.save(nameOf(user.id), copy)
        } while (!copy.isComplete)
        return copy
      })
    },

    copy: async () => {
      const user = await owner()
      return user && ((await store.load(nameOf(user.id))) ?? undefined)
    },

    dropCopy: async () => {
      const user = await owner()
      if (user) await drop(user.id)
    },
    forget: drop
  }
}
