import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Db, IndexDescription } from 'mongodb'
import { seconds } from '../time.js'
import { persist } from './driver/retry.js'

/** One login and the chain of refresh tokens that came of it, of which only the hashes are kept. */
interface SessionDocument {
  _id: string
  user_id: number
  /** In every token of the chain: shows that an old token was once a real one. */
  family: string
  /** In the newest token alone. */
  secret: string
  generation: number
  /** When the latest generations were spent; those that fell out of the list were spent long ago. */
  spent: { generation: number; at: Date }[]
  created_at: Date
  expires_at: Date
}

export const sessionIndexes: IndexDescription[] = [
  { key: { user_id: 1, expires_at: 1, _id: 1 } },
  { key: { expires_at: 1 }, expireAfterSeconds: 0 }
]

const spentKept = 32

/** Sessions of one user. */
const most = 100

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

export const sessionsOf = (db: Db, { life, grace }: { life: number; grace: number }) => {
  const sessions = db.collection<SessionDocument>('sessions')

  /** Ends what a session that has just begun is too many for. Of several that begin at once the last to look sees all of them. */
  const endUnusedForLongest = async (user_id: number, begun: string) => {
    // Each use moves the end of a session, so ends are in the order of last uses.
    const others = { user_id, _id: { $ne: begun } }
    const order = { sort: { expires_at: -1, _id: -1 }, projection: { expires_at: 1 } } as const
    const surplus = await sessions.findOne(others, { ...order, skip: most - 1 })
    if (!surplus) return
    const { _id, expires_at } = surplus
    // Found anew, so that one that was used meanwhile stays.
    await sessions.deleteMany({ ...others, $or: [{ expires_at: { $lt: expires_at } }, { expires_at, _id: { $lte: _id } }] })
  }

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
      await persist(() => sessions.replaceOne({ _id: sid, user_id }, session, { upsert: true }))
      await persist(() => endUnusedForLongest(user_id, sid))
      return { sid, user_id, refresh_token: `${user_id}.${sid}.1.${family}.${secret}` }
    },

    /** Spends a refresh token for the next one. Of two uses at the same moment one wins, since the filter names the generation. */
    renew: async (token: string): Promise<Session | undefined> => {
      const given = read(token)
      if (!given) return undefined
      const { sid, user_id, generation } = given
      const [secret, now] = [random(), new Date()]
      const family = { _id: sid, user_id, family: hash(given.family) }
      const renewed = await persist(() =>
        sessions.updateOne(
          { ...family, generation, secret: hash(given.secret), expires_at: { $gt: now } },
          {
            $set: { secret: hash(secret), generation: generation + 1, expires_at: new Date(now.getTime() + seconds(life)) },
            $push: { spent: { $each: [{ generation, at: now }], $slice: -spentKept } }
          }
        )
      )
      const session = renewed.matchedCount === 1 ? undefined : await sessions.findOne(family)
      // One whose answer was lost was repeated, and found what it had done itself.
      if (renewed.matchedCount === 1 || session?.secret === hash(secret))
        return { sid, user_id, refresh_token: `${user_id}.${sid}.${generation + 1}.${given.family}.${secret}` }

      if (session && generation < session.generation && wasSpentBefore(session, generation, now.getTime() - seconds(grace))) {
        await sessions.deleteOne(family)
      }
      return undefined
    },

    end: (user_id: number, sid: string) => persist(() => sessions.deleteOne({ _id: sid, user_id })),
    endAll: (user_id: number) => persist(() => sessions.deleteMany({ user_id }))
  }
}

const wasSpentBefore = ({ spent }: SessionDocument, generation: number, time: number) => {
  const use = spent.find(entry => entry.generation === generation)
  return !use || use.at.getTime() < time
}
