import type { Session } from '../../schemas/session.js'
import { timestamp } from '../time.js'

/** One login and its chain of refresh tokens, stored as hashes. An ended session keeps only its ids, `ended_at` and `expires_at`. */
export interface SessionDocument {
  _id: string
  /** The account. */
  user_id: number
  /** The profile that watches, if it is not the first one. */
  profile_id?: number
  /** The name that the app gave its device. */
  device?: string | null
  /** Part of every token in the chain. Proves that an old token was once valid. */
  family: string
  /** Part of the newest token only. */
  secret: string
  generation: number
  /** When the latest generations were spent. Older ones drop out of the list. */
  spent: { generation: number; at: Date }[]
  /** Lifetime of its access tokens in seconds. Sessions of earlier versions lack it until they are used. */
  access_life?: number
  created_at: Date
  /** When its refresh token expires or, once it has ended, its last access token. */
  expires_at: Date
  /** By the clock of the database. */
  ended_at?: Date
}

export const isLiving = { ended_at: { $exists: false } }
/** The condition of the partial index on `ended_at`. A query must include it to use the index. */
export const isEnded = { ended_at: { $gt: new Date(0) } }
export const isUsable = () => ({ ...isLiving, expires_at: { $gt: new Date() } })

/** When it was refreshed last, or begun. */
export const lastUseOf = ({ spent, created_at }: SessionDocument) => spent.at(-1)?.at ?? created_at

/** The wire form, without what depends on the caller. */
export const toSession = (session: SessionDocument): Omit<Session, 'current'> => ({
  id: session._id,
  device: session.device ?? null,
  created_at: timestamp(session.created_at),
  last_used_at: timestamp(lastUseOf(session))
})
