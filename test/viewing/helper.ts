import type { Test } from 'tap'
import type { Changes } from '../../schemas/changes.js'
import { everybody } from '../../src/catalogue/audience.js'
import { changesPage } from '../../src/sync/index.js'
import type { App } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { film } from '../helpers/documents.js'

export const films = Array.from({ length: 12 }, (_, i) => film(i + 1))
/** How many of the films get only late reports. */
const watchedOffline = 3
const lists = ['history', 'watchlist', 'hidden', 'ratings', 'preferences'] as const

/** What an app keeps: each list by content. */
export class Copy {
  readonly lists = { history: new Map(), watchlist: new Map(), hidden: new Map(), ratings: new Map(), preferences: new Map() }
  cursor: string | undefined

  apply({ reset, removed, cursor, ...changed }: Changes) {
    if (reset) for (const list of lists) this.lists[list].clear()
    for (const list of lists) {
      for (const id of removed[list]) this.lists[list].delete(id)
      for (const element of changed[list]) this.lists[list].set(element.content_id, element)
    }
    this.cursor = cursor
  }

  sorted() {
    const byContent = ([a]: [number, unknown], [b]: [number, unknown]) => a - b
    return Object.fromEntries(lists.map(list => [list, [...this.lists[list]].sort(byContent)]))
  }
}

/** One change by one device. What is gone already, or comes too late, is no error. */
export const writeOnce = async ({ data }: App, user: number, next: () => number) => {
  const content_id = 1 + Math.floor(next() * (films.length - watchedOffline))
  // Another content, because a live report of the same one would hide that the late one was missed.
  const late_id = films.length - Math.floor(next() * watchedOffline)
  const observed_at = new Date(Date.now() - next() ** 2 * 3000)
  const elementOf = async (list: 'history' | 'watchlist') => {
    const { elements } = await data[list].list(user, { ...(list === 'history' && { content_id: [content_id] }), page: 1, perPage: 1 })
    return String(elements[0]?._id ?? 0)
  }
  const percentage = Math.floor(next() * 100)
  const writes = [
    () => data.reports.put(user, { content_id, progress: { percentage } }),
    () => data.reports.put(user, { content_id, progress: { percentage } }),
    () => data.reports.put(user, { content_id, progress: { percentage, observed_at } }),
    () => data.reports.put(user, { content_id: late_id, progress: { percentage, observed_at } }),
    () =>
      data.reports.putAll(user, [
        { content_id: late_id, progress: { percentage, observed_at } },
        { content_id, progress: { percentage } }
      ]),
    async () => data.history.remove(user, await elementOf('history')),
    () => (next() < 0.3 ? data.history.removeAll(user) : undefined),
    () => data.watchlist.add(user, content_id),
    () => data.watchlist.add(user, content_id),
    async () => data.watchlist.remove(user, await elementOf('watchlist')),
    () => (next() < 0.3 ? data.watchlist.removeAll(user) : undefined),
    () => data.hidden.put(user, content_id),
    () => data.hidden.remove(user, [content_id]),
    () => data.ratings.put(user, content_id, percentage < 50 ? 'like' : 'dislike'),
    () => data.ratings.remove(user, [content_id]),
    () => data.preferences.put(user, content_id, { audio: percentage < 50 ? 'en' : 'de' }),
    () => data.preferences.put(user, content_id, { audio: null }),
    () => data.preferences.remove(user, [content_id])
  ]
  try {
    await writes[Math.floor(next() * writes.length)]?.()
  } catch (error) {
    if (!/not found/.test((error as Error).message)) throw error
  }
}

interface Asked {
  perPage: number
  overlap: number
}

/** Takes a page into the copy, and says whether there is more. */
export const ask = async (app: App, user: number, copy: Copy, { perPage, overlap }: Asked) => {
  const page = await changesPage(app, { user, audience: everybody, since: copy.cursor, perPage, overlap })
  const size = lists.reduce((sum, list) => sum + page[list].length + page.removed[list].length, 0)
  if (size > perPage) throw new Error(`${size} of at most ${perPage}`)
  copy.apply(page)
  return page.more
}

/** Checks that the copy equals a new copy, and the lists. */
export const assertEqualCopy = async (t: Test, app: App, user: number, copy: Copy, overlap: number) => {
  const fresh = new Copy()
  while (await ask(app, user, fresh, { perPage: 500, overlap }));
  const stored = await Promise.all([
    app.data.history.list(user, { page: 1, perPage: 100 }),
    app.data.watchlist.list(user, { page: 1, perPage: 100 }),
    app.data.hidden.list(user, { page: 1, perPage: 100 }),
    app.data.ratings.list(user, { page: 1, perPage: 100 }),
    databaseOf(app)
      .collection<{ content_id: number }>('preferences')
      .find({ user_id: user })
      .toArray()
      .then(elements => ({ elements }))
  ])
  t.strictSame(copy.sorted(), fresh.sorted(), `the copy of user ${user} equals a new copy`)
  t.strictSame(
    lists.map(list => [...copy.lists[list].keys()].sort((a, b) => a - b)),
    stored.map(({ elements }) => elements.map(({ content_id }) => content_id).sort((a, b) => a - b)),
    'and the stored lists'
  )
}
