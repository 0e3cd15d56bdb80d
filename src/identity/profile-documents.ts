import type { Db, Filter } from 'mongodb'
import type { Profile } from '../../schemas/profile.js'
import { counterOf } from '../database/counters.js'
import { withRetries } from '../database/retry.js'
import { revisionsOf } from '../database/revisions.js'
import { forbidden, resourceNotFound } from '../errors.js'
import { hours, minutes } from '../time.js'
import { accessTokensEndIn } from './session-ends.js'
import type { UserDocument } from './users.js'

/** Including the first one, which is the account itself. */
export const profilesPerAccount = 8

/** A unique index lets each place be taken only once, so that there are never more profiles than places. */
export const places = Array.from({ length: profilesPerAccount - 1 }, (_, i) => i + 1)

type Given = Pick<UserDocument, 'name' | 'max_age' | 'pin_hash'>
/** A `pin_hash` of null removes the PIN. */
type ProfileChanges = { name?: string; max_age?: number | null; pin_hash?: string | null | undefined }

export const isFirst = ({ account_id }: UserDocument) => account_id === undefined

export const toProfile = (user: UserDocument): Profile => ({
  id: user._id,
  name: user.name,
  max_age: user.max_age ?? null,
  has_pin: user.pin_hash !== undefined,
  first: isFirst(user)
})

/**
 * How long a process keeps using a profile that it knows during an outage. Apps with an identity provider choose the profile by a header.
 */
export const profilesKeptFor = hours(1)
/** How much the clocks of processes may differ. */
const clockMargin = minutes(5)

/** Until when tokens with the current age limit of a profile may be in use. */
export const oldLimitUntil = async (db: Db, account: number) =>
  new Date(Date.now() + Math.max(await accessTokensEndIn(db, account), profilesKeptFor) + clockMargin)

const ofAccount = (account: number) => ({ $or: [{ _id: account }, { account_id: account }], disabled_at: null })

export const profilesOf = (db: Db) => {
  const users = db.collection<UserDocument>('users')
  const ids = counterOf(db, 'users')
  const revisions = revisionsOf(db)
  const owned = (account: number, _id: number): Filter<UserDocument> => ({ $and: [{ _id }, ofAccount(account)] })
  const missing = async (_id: number) =>
    (await users.findOne({ _id, disabled_at: null }, { projection: { _id: 1 } })) ? forbidden() : resourceNotFound()

  return {
    /** The first profile comes first. */
    list: async (account: number) => {
      const found = await users.find(ofAccount(account)).toArray()
      return found.sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)) || a._id - b._id)
    },

    byId: async (account: number, id: number) => {
      const profile = await users.findOne(owned(account, id))
      if (!profile) throw await missing(id)
      return profile
    },

    /** The age limit of a profile, or null if it has none. Undefined if the account has no such profile. */
    limitOf: async (account: number, id: number) => {
      const profile = await withRetries(() => users.findOne(owned(account, id), { projection: { max_age: 1 } }))
      return profile ? (profile.max_age ?? null) : undefined
    },

    /** All profiles but the first, including those that are being removed. */
    othersOf: async (account: number) => {
      const found = await users.find({ account_id: account }, { projection: { _id: 1 } }).toArray()
      return found.map(({ _id }) => _id)
    },

    /** Returns the id of the profile, or undefined if the account already has the maximum number. */
    add: async (account_id: number, given: Given) => {
      const _id = await withRetries(ids.next)
      // If another request takes the place first, this tries again with the next place.
      return withRetries(async () => {
        const others = await users.find({ account_id, _id: { $ne: _id } }, { projection: { place: 1 } }).toArray()
        const taken = others.map(({ place }) => place)
        const place = places.find(free => !taken.includes(free))
        if (place === undefined) return undefined
        const now = new Date()
        const profile = { account_id, place, ...given, disabled_at: null, created_at: now, updated_at: now }
        await users.updateOne({ _id }, { $setOnInsert: profile }, { upsert: true })
        return _id
      })
    },

    change: async (account: number, id: number, { pin_hash, ...fields }: ProfileChanges) => {
      const update = {
        $set: { ...fields, ...(typeof pin_hash === 'string' && { pin_hash }), updated_at: new Date() },
        ...(pin_hash === null && { $unset: { pin_hash: '' as const } }),
        ...(fields.max_age !== undefined && { $max: { old_limit_until: await oldLimitUntil(db, account) } })
      }
      const { matchedCount } = await withRetries(() => users.updateOne(owned(account, id), update))
      if (matchedCount === 0) throw await missing(id)
      if (fields.max_age !== undefined) await revisions.raise('limits')
    },

    /** The age limits, by profile, that have changed while tokens with the old ones may be in use. */
    changedLimits: async () => {
      const limits = new Map<number, number | undefined>()
      const changed = users.find({ old_limit_until: { $gt: new Date() } }, { projection: { max_age: 1 } })
      for await (const { _id, max_age } of changed) limits.set(_id, max_age ?? undefined)
      return limits
    }
  }
}
