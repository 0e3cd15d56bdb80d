import type { Db, Document, Filter } from 'mongodb'
import { withRetries } from '../database/retry.js'
import { forbiddenOr, resourceNotFound } from '../errors.js'
import { minutes, seconds } from '../time.js'
import { codeLife, deviceCodesOf } from './device-codes.js'
import { type Account, isEnded, isLiving, isUsable, type SessionDocument } from './session-document.js'

export const sessionsPerUser = 100

/** A request in flight may still issue an access token, and its process may have a clock that is ahead. */
const margin = minutes(1)
/** In milliseconds, how long after its end the last access token of a session expires. */
export const accessTokensEndAfter = (accessLife: number) => seconds(accessLife) + margin

/** The same for a stored session. */
const tokensEndAfter = (accessLife: number) => ({ $add: [{ $multiply: [{ $ifNull: ['$access_life', accessLife] }, 1000] }, margin] })

/**
 * Ends a session. What remains of it tells other processes to refuse its access tokens, and whether devices that it approved may sign in.
 */
const ending = (accessLife: number, more: Pick<SessionDocument, 'logged_out'> = {}) => [
  {
    $replaceWith: {
      $cond: [
        { $gt: ['$ended_at', null] },
        '$$ROOT',
        {
          _id: '$_id',
          account_id: '$account_id',
          ended_at: '$$NOW',
          ...more,
          expires_at: { $add: ['$$NOW', { $max: [tokensEndAfter(accessLife), codeLife] }] }
        }
      ]
    }
  }
]

/** Sessions of the first profile have no `user_id`. */
const ofProfiles = (account_id: number, profiles: number[]): Filter<SessionDocument> =>
  profiles.includes(account_id)
    ? { $or: [{ user_id: { $in: profiles } }, { user_id: { $exists: false } }] }
    : { user_id: { $in: profiles } }

/** Small batches keep the turns of the event loop short. */
const endedAtOnce = 500
/** How long a batch may take. A stalled read must soon give way to the next one. */
const stalledAfter = seconds(0.75)

/** In how many milliseconds the last access token of an account expires. */
export const accessTokensEndIn = async (db: Db, account_id: number) => {
  const left = { $cond: [{ $gt: ['$ended_at', null] }, { $subtract: ['$expires_at', '$$NOW'] }, tokensEndAfter(0)] }
  const longest = [{ $match: { account_id } }, { $group: { _id: null, left: { $max: left } } }]
  const [found] = await withRetries(() => db.collection('sessions').aggregate<{ left: number }>(longest).toArray())
  return found?.left ?? 0
}

/** Called with the sessions that this process has ended. */
export type OnSessionsEnded = (sids: string[]) => void

/** In milliseconds. Well below the overlap of reads (`EndedSessions`). */
const soonVisible = 2000

export const sessionEndsOf = (db: Db, accessLife: number, onEnd: OnSessionsEnded = () => {}) => {
  const sessions = db.collection<SessionDocument>('sessions')
  const accounts = db.collection<Account>('users')
  const revokeApprovals = deviceCodesOf(db).revoke
  const update = ending(accessLife)
  const idsOf = async (filter: Filter<SessionDocument>) => {
    const found = await sessions.find(filter, { projection: { _id: 1 } }).toArray()
    return found.map(({ _id }) => _id)
  }

  /** A write is dated when it starts, and reads overlap by only a few seconds, so an end whose write took long is dated again. */
  const announce = async (account_id: number, sids: string[], began: number) => {
    onEnd(sids)
    for (let since = began; performance.now() - since > soonVisible; ) {
      since = performance.now()
      const ended = { _id: { $in: sids }, account_id, ...isEnded }
      await withRetries(() => sessions.updateMany(ended, [{ $set: { ended_at: '$$NOW' } }]))
    }
  }

  /** Returns the ids of the sessions that it has ended. */
  const endMany = async (account_id: number, filter: Filter<SessionDocument>) => {
    const living = { ...filter, ...isLiving, account_id }
    const candidates = { account_id, _id: { $in: await idsOf(living) } }
    if (candidates._id.$in.length === 0) return []
    const began = performance.now()
    await withRetries(() => sessions.updateMany({ $and: [living, candidates] }, update))
    // Some may have been used meanwhile, and no longer match the filter.
    const ended = await idsOf({ ...candidates, ...isEnded })
    await announce(account_id, ended, began)
    return ended
  }

  /** Refuses sessions that the account has begun, even those that are stored later, because each carries the epoch in which it began. */
  const beginEpoch = (_id: number, kept?: string) =>
    withRetries(() =>
      accounts.updateOne(
        { _id },
        { $inc: { session_epoch: 1 }, ...(kept === undefined ? { $unset: { kept_session: '' } } : { $set: { kept_session: kept } }) }
      )
    )

  /** Ends the stored sessions. Those stored later are refused because of their epoch. */
  const endBegun = async (account_id: number, kept?: string) => {
    await endMany(account_id, kept === undefined ? {} : { _id: { $ne: kept } })
    await revokeApprovals(account_id)
  }

  /** An upsert, because an access token may outlive the document of its session. */
  const endOne = async (account_id: number, sid: string, change: Document[]) => {
    const began = performance.now()
    await withRetries(() => sessions.updateOne({ _id: sid, account_id }, change, { upsert: true }))
    await announce(account_id, [sid], began)
  }

  return {
    end: (account_id: number, sid: string) => endOne(account_id, sid, update),
    /** Ends a session at its own request. The devices that it has approved may still sign in. */
    logOut: (account_id: number, sid: string) => endOne(account_id, sid, ending(accessLife, { logged_out: true })),

    endById: async (account_id: number, sid: string) => {
      const began = performance.now()
      const { matchedCount } = await withRetries(() => sessions.updateOne({ _id: sid, account_id, ...isUsable() }, update))
      if (matchedCount === 0) throw await forbiddenOr(resourceNotFound, sessions, { _id: sid, ...isUsable() })
      await announce(account_id, [sid], began)
      await revokeApprovals(account_id, sid)
    },

    /** Ends all sessions but `kept`, if it is given. */
    endAll: async (account_id: number, kept?: string) => {
      await beginEpoch(account_id, kept)
      await endBegun(account_id, kept)
    },
    endBegun,

    endProfile: (account_id: number, user_id: number) => endMany(account_id, { user_id }),

    /**
     * Keeps `begun` and the most recently used others for which there is room. Ends all sessions last used before a point in time rather
     * than a number of them, because two concurrent calls would end twice as many. With `profiles`, ends only sessions of these profiles.
     */
    endSurplus: async (account_id: number, begun: string, profiles?: number[]) => {
      const others = { account_id, _id: { $ne: begun }, ...isLiving }
      const endable: Filter<SessionDocument> = profiles ? { $and: [others, ofProfiles(account_id, profiles)] } : others
      const kept = profiles ? await sessions.countDocuments({ $and: [others, { $nor: [ofProfiles(account_id, profiles)] }] }) : 0
      const room = Math.max(0, sessionsPerUser - 1 - kept)
      // Each use extends a session, so `expires_at` sorts by last use.
      const order = { sort: { expires_at: -1, _id: -1 }, projection: { expires_at: 1 }, skip: room } as const
      const firstSurplus = await sessions.findOne(endable, order)
      if (!firstSurplus) return []
      const { _id, expires_at } = firstSurplus
      return endMany(account_id, { $and: [endable, { $or: [{ expires_at: { $lt: expires_at } }, { expires_at, _id: { $lte: _id } }] }] })
    },

    /**
     * The sessions that ended in the last `since` milliseconds, or all that may still have valid access tokens. `remaining` is the time
     * until these expire. In batches, because the driver's iterator costs three times as much.
     */
    ended: async function* (since?: number) {
      const isRecent = since !== undefined && { $expr: { $gte: ['$ended_at', { $subtract: ['$$NOW', since] }] } }
      const stalled = new AbortController()
      const timer = setTimeout(() => stalled.abort(), stalledAfter)
      const cursor = sessions.find<{ _id: string; remaining: number }>(
        { ...isEnded, ...isRecent },
        { batchSize: endedAtOnce, signal: stalled.signal, projection: { remaining: { $subtract: ['$expires_at', '$$NOW'] } } }
      )
      try {
        while (await cursor.hasNext()) {
          yield cursor.readBufferedDocuments()
          timer.refresh()
        }
      } finally {
        clearTimeout(timer)
      }
    }
  }
}
