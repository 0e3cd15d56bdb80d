import type { components } from './schema.js'
import type { Kept, Rating } from './unsent.js'

type Schemas = components['schemas']
type Content = Schemas['Content']

interface Done {
  user_id: number
  /** Milliseconds, by the clock of this device. */
  observed: number
}
interface Saved extends Done {
  kind: 'saved'
  content_id: number
}
interface Removed extends Done {
  kind: 'removed'
  from: 'history' | 'watchlist' | 'continue_watching' | 'hidden'
  /** The id of the element or of the content item. If it is missing, all of them are meant. */
  id?: string | undefined
}
/** What a viewer has done that a kept response may not show yet. */
export type Deed = Kept | Saved | Removed
/** What the service has acknowledged, and when. Milliseconds, by the clock of this device. */
export type Acknowledged = Deed & { at: number }

interface Written {
  body?: Record<string, unknown>
  params?: { path?: Record<string, string> }
}
type Given = { kind: Deed['kind'] } & Record<string, unknown>
const removed = (from: Removed['from'], id?: string) => ({ kind: 'removed' as const, from, id })

const deedsByCall: Record<string, (body: Record<string, unknown>, id: string) => Given> = {
  'post /history': body => ({ kind: 'report', ...body }),
  'delete /history': () => removed('history'),
  'delete /history/{watchedVideoId}': (_, id) => removed('history', id),
  'delete /continue-watching/{contentId}': (_, id) => removed('continue_watching', id),
  'post /watchlist': ({ content_id }) => ({ kind: 'saved', content_id }),
  'delete /watchlist': () => removed('watchlist'),
  'delete /watchlist/{elementId}': (_, id) => removed('watchlist', id),
  'put /hidden/{contentId}': (_, id) => removed('hidden', id),
  'put /ratings/{contentId}': ({ rating }, id) => ({ kind: 'rating', content_id: Number(id), rating }),
  'delete /ratings/{contentId}': (_, id) => ({ kind: 'rating', content_id: Number(id), rating: null }),
  'put /preferences': body => ({ kind: 'preferences', content_id: null, ...body }),
  'put /preferences/{contentId}': (body, id) => ({ kind: 'preferences', content_id: Number(id), ...body })
}

/** What a call has done, if that changes what a kept response shows. */
export const deedOf = (method: string, path: string, { body = {}, params }: Written = {}, done: Done) => {
  const [id = ''] = Object.values(params?.path ?? {})
  const given = deedsByCall[`${method} ${path}`]?.(body, String(id))
  return given && ({ ...given, ...done } as Deed)
}

const isSame = (one: Deed, other: Deed) =>
  one.user_id === other.user_id &&
  one.kind === other.kind &&
  one.kind !== 'removed' &&
  one.content_id === (other as Exclude<Deed, Removed>).content_id

/** For each content item, the last deed of a kind counts. A change of one language does not change the other. */
export const withDeed = (all: Acknowledged[], deed: Acknowledged): Acknowledged[] => {
  const before = deed.kind === 'preferences' ? all.find(other => isSame(other, deed)) : undefined
  return [...all.filter(other => !isSame(other, deed)), { ...before, ...deed } as Acknowledged]
}

/** A response that is kept, and what it is the response to. */
export interface KeptResponse {
  user_id: number
  /** The requested URL, with the requested language. */
  key: string
  path: string
  url: string
  /** Milliseconds, by the clock of this device. */
  asked: number
  data: object
}

/** An element of any list. */
interface Item extends Partial<Omit<Schemas['HistoryElement'], 'content'>> {
  content?: Content
  id?: number
  video_id?: string
  rating?: Rating
  reason?: unknown
  history?: Omit<Schemas['HistoryElement'], 'content'> | null
  resume?: Schemas['ResumePosition']
}
interface Page {
  collection: Item[]
  meta: Schemas['Meta']
}
interface Row {
  kind: string
  name: null
  because: null
  more: string
  items: Item[]
}

interface Context {
  asked: number
  contents: Map<number, Content>
  /** The time of the service, as on the wire. */
  dateOf: (observed: number) => string
  /** Whether the list would have a new element of this content item. */
  mayAdd: (content_id: number) => boolean
}

/** Not an id of the service, so calls with it are refused. */
const noId = '0'.repeat(24)
/** From this percentage on, the service counts an item as completed, unless it is configured otherwise. */
const completedAt = 90
/** A position before this many seconds may be a restart by mistake. */
const restartedBefore = 60

const contentsIn = (value: unknown, found: Map<number, Content>) => {
  if (typeof value !== 'object' || value === null) return
  if ('handler_id' in value && 'id' in value) found.set(value.id as number, value as Content)
  for (const part of Object.values(value)) contentsIn(part, found)
}
export const contentsOf = (responses: unknown) => {
  const found = new Map<number, Content>()
  contentsIn(responses, found)
  return found
}

/** The show of an episode, as far as it is known. */
const titleOf = (id: number, contents: Map<number, Content>): number => {
  const parent = contents.get(id)?.parent_id
  return typeof parent === 'number' ? titleOf(parent, contents) : id
}
const isOfTitle = (item: Item, id: number, { contents }: Context) => titleOf(idOf(item), contents) === titleOf(id, contents)
const idOf = ({ content, content_id, id }: Item) => content?.id ?? content_id ?? (id as number)

/** Puts an element first, in the place of those that it replaces. */
const placed = (items: Item[], item: Item, isReplaced: (other: Item) => boolean) => [item, ...items.filter(other => !isReplaced(other))]

type Report = Extract<Deed, { kind: 'report' }>

const positionAfter = ({ time, percentage }: Report, before: Item, duration = 0) => ({
  time: time ?? before.time ?? 0,
  percentage: percentage ?? (time !== undefined && duration > 0 ? Math.min(100, (100 * time) / duration) : (before.percentage ?? 0))
})

const previousAfter = (time: number, before: Item) => {
  if (time >= restartedBefore) return null
  const { time: last = 0, percentage = 0, updated_at: observed_at = '' } = before
  return last >= restartedBefore ? { time: last, percentage, observed_at } : (before.previous ?? null)
}

const elementAfter = (report: Report, before: Item, { contents, dateOf }: Context) => {
  const date = dateOf(report.observed)
  const { time, percentage } = positionAfter(report, before, contents.get(report.content_id)?.duration)
  const isCompleted = percentage >= completedAt && (before.percentage ?? 0) < completedAt
  return {
    _id: before._id ?? noId,
    user_id: report.user_id,
    content_id: report.content_id,
    time,
    percentage,
    plays: (before.plays ?? 0) + (isCompleted ? 1 : 0),
    watched_at: isCompleted ? date : (before.watched_at ?? null),
    previous: previousAfter(time, before),
    created_at: before.created_at ?? date,
    updated_at: date
  }
}

/** Whether a response already has a later report from another device. */
const isOutdone = (report: Report, before: Item, { asked, dateOf }: Context) =>
  report.observed < asked && (before.updated_at ?? '') > dateOf(report.observed)

const inHistory = (items: Item[], report: Report, context: Context) => {
  const { content_id } = report
  const isIt = (item: Item) => item.content_id === content_id
  const before = items.find(isIt)
  const content = before?.content ?? context.contents.get(content_id)
  if (!content || (before ? isOutdone(report, before, context) : !context.mayAdd(content_id))) return items
  return placed(items, { ...elementAfter(report, before ?? {}, context), content }, isIt)
}

const inCards = (items: Item[], report: Report, context: Context) => {
  const { content_id } = report
  const isIt = (item: Item) => isOfTitle(item, content_id, context)
  const card = items.find(isIt)
  const before = card?.content?.id === content_id ? (card.history ?? {}) : {}
  const content = context.contents.get(content_id)
  if (!content || (card ? isOutdone(report, card, context) : !context.mayAdd(content_id))) return items
  const history = elementAfter(report, before, context)
  // Only the service knows which episode is next.
  if (history.percentage >= completedAt) return items.filter(item => !isIt(item))
  const { time, percentage } = history.previous ?? history
  if (time <= 0 && percentage <= 0) return items
  return placed(items, { reason: 'resume', content, history, resume: { time, percentage }, updated_at: history.updated_at }, isIt)
}

const inWatchlist = (items: Item[], { content_id, user_id, observed }: Saved, { contents, dateOf, mayAdd }: Context) => {
  const content = contents.get(content_id)
  const isIt = (item: Item) => item.content_id === content_id
  if (!content || !mayAdd(content_id) || items.some(isIt)) return items
  const date = dateOf(observed)
  return placed(items, { id: 0, user_id, content_id, video_id: content.handler_id, created_at: date, updated_at: date, content }, isIt)
}

const inRatings = (items: Item[], { content_id, rating, observed }: Extract<Deed, { kind: 'rating' }>, context: Context) => {
  const title = titleOf(content_id, context.contents)
  const content = context.contents.get(title)
  const isIt = (item: Item) => item.content_id === title
  if (rating === null) return items.filter(item => !isIt(item))
  if (!content || items.find(isIt)?.rating === rating || !(items.some(isIt) || context.mayAdd(title))) return items
  return placed(items, { content_id: title, content, rating, created_at: context.dateOf(observed) }, isIt)
}

const without = (items: Item[], isRemoved: (item: Item) => boolean) => items.filter(item => !isRemoved(item))

/** What each kind of list shows after a deed. The lists of the service are sorted newest first. */
const after: Record<string, (items: Item[], deed: Deed, context: Context) => Item[]> = {
  history: (items, deed, context) => {
    if (deed.kind === 'report') return inHistory(items, deed, context)
    if (deed.kind !== 'removed' || deed.from !== 'history') return items
    return without(items, ({ _id }) => deed.id === undefined || _id === deed.id)
  },
  continue_watching: (items, deed, context) => {
    if (deed.kind === 'report') return inCards(items, deed, context)
    if (deed.kind !== 'removed' || deed.from === 'watchlist') return items
    const { id, from } = deed
    return without(items, item => {
      if (id === undefined) return true
      return from === 'history' ? item.history?._id === id : isOfTitle(item, Number(id), context)
    })
  },
  watchlist: (items, deed, context) => {
    if (deed.kind === 'saved') return inWatchlist(items, deed, context)
    if (deed.kind !== 'removed' || deed.from !== 'watchlist') return items
    return without(items, ({ id }) => deed.id === undefined || String(id) === deed.id)
  },
  ratings: (items, deed, context) => (deed.kind === 'rating' ? inRatings(items, deed, context) : items),
  /** Neither hidden nor disliked titles are recommended. */
  recommended: (items, deed, context) => {
    const isLess = deed.kind === 'removed' ? deed.from === 'hidden' : deed.kind === 'rating' && deed.rating === 'dislike'
    if (!isLess) return items
    const id = deed.kind === 'removed' ? Number(deed.id) : (deed.content_id as number)
    return without(items, item => isOfTitle(item, id, context))
  }
}
/** Only the service knows whether a show now counts as watched. */
after.unwatched = (items, deed, { contents }) => {
  if (deed.kind !== 'report') return items
  const { percentage } = positionAfter(deed, {}, contents.get(deed.content_id)?.duration)
  return percentage < completedAt ? items : without(items, item => idOf(item) === deed.content_id)
}
after.because = after.recommended as (typeof after)[string]

const isWithoutWatched = (url: URL) => url.searchParams.get('watched') === 'false'

const listsByPath: Record<string, string> = {
  '/history': 'history',
  '/continue-watching': 'continue_watching',
  '/watchlist': 'watchlist',
  '/ratings': 'ratings',
  '/recommendations': 'recommended'
}

const allAfter = (kind: string, items: Item[], deeds: Deed[], context: Context) =>
  deeds.reduce((before, deed) => after[kind]?.(before, deed, context) ?? before, items)

/** Only the first page of a list, unfiltered or filtered by content items, gets a new element. */
const additionsTo = (query: URLSearchParams) => {
  const { page = '1', perPage: _, content_id, ...others } = Object.fromEntries(query)
  const ids = content_id?.split(',')
  return (id: number) => page === '1' && Object.keys(others).length === 0 && (!ids || ids.includes(String(id)))
}

const metaAfter = (meta: Schemas['Meta'], more: number): Schemas['Meta'] => {
  const total_count = Math.max(0, meta.total_count + more)
  const total_pages = Math.ceil(total_count / meta.per_page)
  return { ...meta, total_count, total_pages, next_page: meta.page < total_pages ? meta.page + 1 : false }
}
const pageAfter = (kind: string, { collection, meta, ...page }: Page, deeds: Deed[], context: Context) => {
  const items = allAfter(kind, collection, deeds, context)
  return { ...page, collection: items.slice(0, meta.per_page), meta: metaAfter(meta, items.length - collection.length) }
}

/** The rows that are the same for everyone, except for what they have watched. */
const publicRows = ['popular', 'new', 'rail']

/** Rows that are there only if they have an element. */
const withPersonalRows = (rows: Row[], { pathname }: URL) => {
  const rowOf = (kind: string, path: string): Row => ({ kind, name: null, because: null, more: pathname.replace(/home$/, path), items: [] })
  const has = (kind: string) => rows.some(row => row.kind === kind)
  const first = rows.findIndex(({ kind }) => publicRows.includes(kind))
  const place = first < 0 ? rows.length : first
  return [
    ...(has('continue_watching') ? [] : [rowOf('continue_watching', 'continue-watching')]),
    ...rows.slice(0, place),
    ...(has('watchlist') ? [] : [rowOf('watchlist', 'watchlist')]),
    ...rows.slice(place)
  ]
}
const homeAfter = (home: { rows: Row[] }, url: URL, deeds: Deed[], context: Context) => ({
  ...home,
  rows: withPersonalRows(home.rows, url)
    .map(row => {
      const kind = isWithoutWatched(url) && publicRows.includes(row.kind) ? 'unwatched' : row.kind
      const items = allAfter(kind, row.items, deeds, { ...context, mayAdd: () => true })
      return { ...row, items: items.slice(0, Math.max(row.items.length, Number(url.searchParams.get('items') ?? 10))) }
    })
    .filter(({ items }) => items.length > 0)
})

const preferencesAfter = (before: Schemas['Preferences'], content_id: number | null, deeds: Deed[]) => {
  const preferences = { ...before }
  for (const deed of deeds) {
    if (deed.kind !== 'preferences' || deed.content_id !== content_id) continue
    if (deed.audio !== undefined) preferences.audio = deed.audio
    if (deed.subtitles !== undefined) preferences.subtitles = deed.subtitles
  }
  return preferences
}

/** What a response would be after the viewer's deeds. */
export const dataAfter = (
  { path, url: address, asked, data }: KeptResponse,
  deeds: Deed[],
  { contents, dateOf }: Pick<Context, 'contents' | 'dateOf'>
): object => {
  const url = new URL(address)
  const context = { asked, contents, dateOf, mayAdd: additionsTo(url.searchParams) }
  if (path === '/home') return homeAfter(data as { rows: Row[] }, url, deeds, context)
  if (path === '/preferences') return preferencesAfter(data as Schemas['Preferences'], null, deeds)
  if (path === '/preferences/{contentId}')
    return preferencesAfter(data as Schemas['Preferences'], Number(url.pathname.split('/').at(-1)), deeds)
  const list = path === '/contents' && isWithoutWatched(url) ? 'unwatched' : listsByPath[path]
  if (!list) return data
  return Array.isArray(data) ? allAfter(list, data, deeds, context) : pageAfter(list, data as Page, deeds, context)
}
