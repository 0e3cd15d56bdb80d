import { randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import { withRetries } from '../database/retry.js'
import { days } from '../time.js'
import type { EventType } from './events.js'

/** Where events are sent. */
export interface Endpoint {
  _id: string
  url: string
  /** Undefined for all. */
  events?: EventType[]
  secret: string
  /** The earlier secret also signs for a while, so that the receiver can change the secret without missing an event. */
  earlier?: { secret: string; until: Date }
  /** Whether its address may be a private one. */
  isPrivate: boolean
  created_at: Date
  /** When it counted as failing, after many failures in a row. Missing after a delivery. */
  failing_since?: Date
  disabled?: { at: Date; reason: string }
}

const secretBytes = 32
const newSecret = () => `whsec_${randomBytes(secretBytes).toString('base64')}`

/** How long the earlier secret keeps signing after a new one was made. */
const secretOverlap = days(1)

/** The secrets that currently sign. */
export const secretsOf = ({ secret, earlier }: Endpoint) => (earlier && earlier.until > new Date() ? [secret, earlier.secret] : [secret])

/** Whether the endpoint is to receive the event. */
export const wants = ({ events, created_at }: Endpoint, type: EventType, at: Date) => created_at <= at && (events?.includes(type) ?? true)

export const endpointsOf = (db: Db) => {
  const endpoints = db.collection<Endpoint>('webhooks')
  const change = (_id: string, update: object[], filter = {}) =>
    withRetries(() => endpoints.findOneAndUpdate({ _id, ...filter }, update, { returnDocument: 'after' }))

  return {
    list: () => withRetries(() => endpoints.find().sort({ created_at: 1, _id: 1 }).toArray()),

    byId: (_id: string) => withRetries(() => endpoints.findOne({ _id })),

    add: async (_id: string, { url, events, isPrivate }: Pick<Endpoint, 'url' | 'isPrivate'> & { events: EventType[] | undefined }) => {
      const secret = newSecret()
      // Literal, because MongoDB reads a string that begins with `$` as the name of a field.
      const fields = { $literal: { _id, url, ...(events && { events }), secret, isPrivate } }
      const update = [{ $replaceWith: { $mergeObjects: [fields, { created_at: '$$NOW' }] } }]
      await withRetries(() => endpoints.updateOne({ _id }, update, { upsert: true }))
      return secret
    },

    remove: async (_id: string) => (await withRetries(() => endpoints.findOneAndDelete({ _id }))) !== null,

    rotate: async (_id: string) => {
      const secret = newSecret()
      const earlier = { secret: '$secret', until: { $add: ['$$NOW', secretOverlap] } }
      // A retry finds the new secret, and must not make it the earlier one.
      const isDone = { $eq: ['$secret', secret] }
      const update = [{ $set: { secret, earlier: { $cond: [isDone, '$earlier', earlier] } } }]
      await change(_id, update)
      return secret
    },

    enable: async (_id: string) => (await change(_id, [{ $unset: ['disabled', 'failing_since'] }])) !== null,

    disable: (_id: string, reason: string) =>
      change(_id, [{ $set: { disabled: { at: '$$NOW', reason: { $literal: reason } } } }], { disabled: { $exists: false } }),

    /** Records that it counts as failing, or no longer does. */
    setFailing: (_id: string, isFailing: boolean) =>
      change(_id, isFailing ? [{ $set: { failing_since: { $ifNull: ['$failing_since', '$$NOW'] } } }] : [{ $unset: 'failing_since' }])
  }
}
export type Endpoints = ReturnType<typeof endpointsOf>

export const newEndpointId = () => `wh_${randomBytes(9).toString('base64url')}`
