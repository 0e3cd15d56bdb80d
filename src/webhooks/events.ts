import { hash } from 'node:crypto'
import type { Document } from 'mongodb'
import { ratings } from '../../schemas/rating.js'
import { imported } from '../database/events.js'
import { timestamp } from '../time.js'

export const eventTypes = [
  'playback.started',
  'playback.completed',
  'watchlist.added',
  'watchlist.removed',
  'rating.set',
  'rating.removed',
  'user.created',
  'user.erased',
  'profile.created',
  'profile.deleted'
] as const
export type EventType = (typeof eventTypes)[number]

/** What an event says besides the account. Only ids: no names, titles or e-mails. */
interface EventData {
  user_id: number
  content_id?: number
  plays?: number
  rating?: string
  /** When the player was at the reported position. */
  at?: string
}

/** Something that has happened to a profile or an account. */
export interface ViewerEvent {
  id: string
  type: EventType
  /** When the service stored it. */
  at: Date
  /** Undefined if it has to be read from the document of the profile. */
  account_id?: number
  data: EventData
}

/** A write, as a change stream with `changesPipeline` shows it. */
export interface Change {
  _id: { _data: string }
  operationType: 'insert' | 'replace' | 'update'
  wallTime: Date
  ns: { coll: 'history' | 'watchlist' | 'ratings' | 'removals' | 'users' | 'erasures' }
  fullDocument?: Document
  event?: string
}

type Found = Pick<ViewerEvent, 'type' | 'account_id' | 'data'> & {
  /** Distinguishes events of the same write. */
  key?: string
  /** The same for several writes that mean one event. */
  identity?: string
}

const numbersIn = (words: string) => words.split(' ').map(Number)

const insertedInto = (document: Document): Pick<EventData, 'user_id' | 'content_id'> => ({
  user_id: document.user_id,
  content_id: document.content_id
})

/** The plays that a report has added, one per line. */
const completions = (event: string): Found[] =>
  event.split('\n').map(line => {
    const [user_id, content_id, plays, at] = numbersIn(line) as [number, number, number, number]
    return { type: 'playback.completed', key: line, data: { user_id, content_id, plays, at: timestamp(new Date(at)) } }
  })

/** The forms in which the service stores events. Any other was written by other software and is ignored. */
const forms: Record<Change['ns']['coll'], RegExp> = {
  history: /^(\d{1,16} \d{1,16} \d{1,16} \d{1,15} (report|mark)(\n(?!$)|$))+$/,
  ratings: new RegExp(`^\\d{1,16} \\d{1,16} (${ratings.join('|')})$`),
  removals: /^(removed|\d{1,16} -?\d{1,16} [a-z]+ [0-9a-f]+)$/,
  erasures: /^\d{1,16} \d{1,16}$/,
  watchlist: /^$/,
  users: /^$/
}

/** Marking as watched starts no playback. */
const isMark = (event: string) => event.endsWith(' mark')

const ofHistory = ({ operationType, fullDocument = {}, event }: Change): Found[] => {
  const completed = event ? completions(event) : []
  if (operationType !== 'insert' || (event && isMark(event))) return completed
  const data = { ...insertedInto(fullDocument), at: timestamp(fullDocument.created_at) }
  return [{ type: 'playback.started', key: 'started', data }, ...completed]
}

/** Only an element that a viewer has added has `asked_at`. */
const ofWatchlist = ({ operationType, fullDocument = {} }: Change): Found[] =>
  operationType === 'insert' && fullDocument.asked_at ? [{ type: 'watchlist.added', data: insertedInto(fullDocument) }] : []

const ofRatings = ({ event }: Change): Found[] => {
  if (!event) return []
  const [user_id, content_id, rating] = event.split(' ') as [string, string, string]
  return [{ type: 'rating.set', data: { user_id: Number(user_id), content_id: Number(content_id), rating } }]
}

const removedFrom: Record<string, EventType> = { watchlist: 'watchlist.removed', ratings: 'rating.removed' }

/** Events of tombstones for one element, or for some elements of an emptied list. Those for replaced titles have no event. */
const ofRemovals = ({ operationType, fullDocument = {}, event }: Change): Found[] => {
  const { content_ids, list, user_id } = fullDocument
  if (!event) return []
  if (content_ids) {
    const type = removedFrom[list]
    if (operationType !== 'insert' || !type) return []
    return content_ids.map((content_id: number) => ({ type, key: String(content_id), data: { user_id, content_id } }))
  }
  const [user, content, from, element] = event.split(' ') as [string, string, string, string]
  const type = removedFrom[from]
  return type ? [{ type, identity: `${from} ${element}`, data: { user_id: Number(user), content_id: Number(content) } }] : []
}

const ofUsers = ({ operationType, fullDocument = {} }: Change): Found[] => {
  if (operationType !== 'insert') return []
  const { _id: user_id, account_id } = fullDocument
  if (account_id === undefined) return [{ type: 'user.created', account_id: user_id, data: { user_id } }]
  return [{ type: 'profile.created', account_id, data: { user_id } }]
}

const ofErasures = ({ event }: Change): Found[] => {
  if (!event) return []
  const [user_id, account_id] = numbersIn(event) as [number, number]
  const type = user_id === account_id ? 'user.erased' : 'profile.deleted'
  return [{ type, identity: `erased ${user_id}`, account_id, data: { user_id } }]
}

const readers: Record<Change['ns']['coll'], (change: Change) => Found[]> = {
  history: ofHistory,
  watchlist: ofWatchlist,
  ratings: ofRatings,
  removals: ofRemovals,
  users: ofUsers,
  erasures: ofErasures
}

export const eventsIn = ({ event, ...change }: Change): ViewerEvent[] => {
  if (event === imported) return []
  const isKnown = typeof event === 'string' && forms[change.ns.coll].test(event)
  const found = readers[change.ns.coll]({ ...change, ...(isKnown && { event }) })
  return found.map(({ key = '', identity = `${change._id._data} ${key}`, ...event }) => {
    const id = hash('sha256', identity, 'base64url')
    return { id: `msg_${id}`, at: change.wallTime, ...event }
  })
}

/**
 * The stages after `$changeStream`, which select writes that may be events. What a change stream shows depends on how MongoDB has logged
 * the write.
 */
export const changesPipeline: Document[] = [
  {
    $match: {
      'ns.coll': { $in: Object.keys(readers) },
      $or: [
        { operationType: 'insert' },
        { operationType: 'replace', 'fullDocument.event': { $exists: true } },
        { operationType: 'update', 'updateDescription.updatedFields.event': { $exists: true } }
      ]
    }
  },
  {
    $project: {
      operationType: 1,
      wallTime: 1,
      'ns.coll': 1,
      ...Object.fromEntries(
        ['_id', 'user_id', 'account_id', 'content_id', 'content_ids', 'list', 'created_at', 'asked_at'].map(field => [
          `fullDocument.${field}`,
          1
        ])
      ),
      event: { $ifNull: ['$updateDescription.updatedFields.event', '$fullDocument.event'] }
    }
  }
]

/** The body to send, as specified by Standard Webhooks. `account_id` is that of the profile. */
export const bodyOf = ({ type, at, data: { user_id, ...data } }: ViewerEvent, account_id: number) =>
  JSON.stringify({ type, timestamp: timestamp(at), data: { user_id, account_id, ...data } })
