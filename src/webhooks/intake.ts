import type { Db } from 'mongodb'
import { Cache } from '../cache.js'
import { withRetries } from '../database/retry.js'
import type { UserDocument } from '../identity/users.js'
import { erasuresOf } from '../privacy/erasures.js'
import { type Endpoint, wants } from './endpoints.js'
import { bodyOf, type Change, eventsIn, type ViewerEvent } from './events.js'
import type { OutboxDocument } from './outbox.js'

/** Enough for about 33,000 profiles. */
const cacheBytes = 4 * 1024 * 1024

/** Turns changes into events for endpoints. */
export const intakeOf = (db: Db) => {
  const users = db.collection<UserDocument>('users')
  const erasures = erasuresOf(db)
  const accounts = new Cache<number, number>(cacheBytes, () => 8)

  /** A user without a document counts as an account. */
  const accountsOf = async (profiles: number[]) => {
    const missing = profiles.filter(id => accounts.get(id) === undefined)
    if (missing.length > 0) {
      const read = () => users.find({ _id: { $in: missing } }, { projection: { account_id: 1 } }).toArray()
      for (const { _id, account_id = _id } of await withRetries(read)) accounts.set(_id, account_id)
    }
    return (id: number) => accounts.get(id) ?? id
  }

  /** Leaves out events of erased profiles, except for the erasure itself. */
  const withAccounts = async (events: ViewerEvent[]) => {
    const profiles = [...new Set(events.filter(({ account_id }) => account_id === undefined).map(({ data }) => data.user_id))]
    const [accountOf, erased] = await Promise.all([accountsOf(profiles), withRetries(() => erasures.among(profiles))])
    return events.flatMap(event => {
      const { user_id } = event.data
      const account_id = event.account_id ?? (erased.has(user_id) ? undefined : accountOf(user_id))
      return account_id === undefined ? [] : [{ ...event, account_id }]
    })
  }

  return async (changes: Change[], endpoints: Endpoint[]): Promise<OutboxDocument[]> => {
    if (changes.length === 0) return []
    const isWanted = ({ type, at }: ViewerEvent) => endpoints.some(endpoint => wants(endpoint, type, at))
    const events = await withAccounts(changes.flatMap(eventsIn).filter(isWanted))
    return events.flatMap(event => {
      const { id, type, at, account_id, data } = event
      const body = bodyOf(event, account_id)
      // Without `user_id`, or the erasure would remove its own event.
      const owner = isErasure(event) ? {} : { user_id: data.user_id }
      return endpoints
        .filter(endpoint => wants(endpoint, type, at))
        .map(({ _id: endpoint }) => ({ _id: { endpoint, id }, type, body, ...owner, at, attempts: 0, due_at: at }))
    })
  }
}

const isErasure = ({ type }: ViewerEvent) => type === 'user.erased' || type === 'profile.deleted'
