import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Collection, Db, IndexDescription } from 'mongodb'
import { seconds } from '../time.js'
import { withRetries } from './driver/retry.js'

/** One login and its chain of refresh tokens, stored as hashes. */
export interface SessionDocument {
  _id: string
  user_id: number
  /** Part of every token in the chain. Proves that an old token was once valid. */
  family: string
  /** Part of the newest token only. */
  secret: string
  generation: number
  /** When the latest generations were spent. Older ones drop out of the list. */
  spent: { generation: number; at: Date }[]
  created_at: Date
  expires_at: Date
}

export const sessionIndexes: IndexDescription[] = [
  { key: { user_id: 1, expires_at: 1, _id: 1 } },
  { key: { expires_at: 1 }, expireAfterSeconds: 0 }
]

const spentKept = 32

export const sessionsPerUser = 100

export interface Session {
  sid: string
  user_id: number
  refresh_token: string
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url')
const random = () => randomBytes(24).toString('base64url')

const tokenForm = /^([1-9]\d{0,15})\.([0-9a-f-]{36})\.([1-9]\d{0,15})\.([\w-]{32})\.([\w-]{32})$/

const read = (token: string) => {
  const [, user, sid, generation, family, secret] = tokenForm.exec(token) ?? []
  if (!user || !sid || !generation || !family || !secret) return undefined
  return { user_id: Number(user), sid, generation: Number(generation), family, secret }
}

/** Ends the sessions beyond the limit, but never `begun`. When several begin at once, the last check sees all of them. */
const endLeastRecentlyUsed = async (sessions: Collection<SessionDocument>, user_id: number, begun: string) => {
  // Each use extends a session, so `expires_at` is in the order of last use.
  const others = { user_id, _id: { $ne: begun } }
  const order = { sort: { expires_at: -1, _id: -1 }, projection: { expires_at: 1 } } as const
  const surplus = await sessions.findOne(others, { ...order, skip: sessionsPerUser - 1 })
  if (!surplus) return
  const { _id, expires_at } = surplus
  // Compares `expires_at` again, so that a session used in the meantime stays.
  await sessions.deleteMany({ ...others, $or: [{ expires_at: { $lt: expires_at } }, { expires_at, _id: { $lte: _id } }] })
}

export const sessionsOf = (db: Db, { life, grace }: { life: number; grace: number }) => {
  const sessions = db.collection<SessionDocument>('sessions')
  return {
    begin: async (user_id: number): Promise<Session> => {
      const [sid, family, secret, now] = [randomUUID(), random(), random(), new Date()]
      const session = {
        user_id,
        family: hash(family),
        secret: hash(secret),
        generation: 1,
        spent: [],
        created_at: now,
        expires_at: new Date(now.getTime() + seconds(life))
      }
      await withRetries(() => sessions.replaceOne({ _id: sid, user_id }, session, { upsert: true }))
      await withRetries(() => endLeastRecentlyUsed(sessions, user_id, sid))
      return { sid, user_id, refresh_token: `${user_id}.${sid}.1.${family}.${secret}` }
    },

    /** Exchanges a refresh token for the next one. Of two concurrent uses one wins, because the filter names the generation. */
    renew: async (token: string): Promise<Session | undefined> => {
      const given = read(token)
      if (!given) return undefined
      const { sid, user_id, generation } = given
      const [secret, now] = [random(), new Date()]
      const family = { _id: sid, user_id, family: hash(given.family) }
      const renewed = await withRetries(() =>
        sessions.updateOne(
          { ...family, generation, secret: hash(given.secret), expires_at: { $gt: now } },
          {
            $set: { secret: hash(secret), generation: generation + 1, expires_at: new Date(now.getTime() + seconds(life)) },
            $push: { spent: { $each: [{ generation, at: now }], $slice: -spentKept } }
          }
        )
      )
      const session = renewed.matchedCount === 1 ? undefined : await sessions.findOne(family)
      // A retry after a lost reply finds that its first attempt succeeded.
      if (renewed.matchedCount === 1 || session?.secret === hash(secret))
        return { sid, user_id, refresh_token: `${user_id}.${sid}.${generation + 1}.${given.family}.${secret}` }

      if (session && generation < session.generation && wasSpentBefore(session, generation, now.getTime() - seconds(grace))) {
        await sessions.deleteOne(family)
      }
      return undefined
    },

    /** Those that have not expired. */
    living: (user_id: number) => sessions.find({ user_id, expires_at: { $gt: new Date() } }).toArray(),

    end: (user_id: number, sid: string) => withRetries(() => sessions.deleteOne({ _id: sid, user_id })),
    endAll: (user_id: number) => withRetries(() => sessions.deleteMany({ user_id }))
  }
}

const wasSpentBefore = ({ spent }: SessionDocument, generation: number, time: number) => {
  const use = spent.find(entry => entry.generation === generation)
  return !use || use.at.getTime() < time
}
