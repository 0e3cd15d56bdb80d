import type { Session } from '../../schemas/session.js'
import { count, date, flag, id, listOf, objectOf, optional, orNull, text, validatorOf } from '../database/bson-schema.js'
import { timestamp } from '../time.js'

/** One login and its chain of refresh tokens, stored as hashes. An ended session keeps only its ids and the details of its end. */
export interface SessionDocument {
  _id: string
  account_id: number
  /** The profile, if it is not the first one. */
  user_id?: number
  /** The name that the app gave its device. */
  device?: string | null
  /** Part of every token in the chain. Proves that an old token was once valid. */
  family: string
  /** Part of the newest token only. */
  secret: string
  generation: number
  /** When the latest generations were used. Older ones are dropped from the list. */
  spent: { generation: number; at: Date }[]
  /** The longest lifetime in seconds of any of its access tokens. It never decreases, whatever the settings of a later process. */
  access_life: number
  /** The account's `session_epoch` when the session was allowed to begin. */
  epoch: number
  created_at: Date
  /** When its refresh token expires or, once it has ended, its last access token. */
  expires_at: Date
  /** By the clock of the database. */
  ended_at?: Date
  /** Whether the session itself logged out. The devices that it has approved may still sign in. */
  logged_out?: boolean
}

type End = 'ended_at' | 'logged_out'
type EndedSession = Pick<SessionDocument, '_id' | 'account_id' | 'expires_at' | 'logged_out'> & { ended_at: Date }
const fields = { _id: text, account_id: id, expires_at: date }

export const sessionValidator = {
  $or: [
    validatorOf<EndedSession>({ ...fields, ended_at: date, logged_out: optional(flag) }),
    validatorOf<Omit<SessionDocument, End>>({
      ...fields,
      user_id: optional(id),
      device: optional(orNull(text)),
      family: text,
      secret: text,
      generation: count,
      spent: listOf(objectOf<SessionDocument['spent'][number]>({ generation: count, at: date })),
      access_life: count,
      epoch: count,
      created_at: date
    })
  ]
}

/** What an account's own document says about its sessions. */
export interface Account {
  _id: number
  /** Incremented whenever the sessions of the account are ended. Whatever was begun before is then refused. */
  session_epoch?: number
  /** The session that ended all others, and stays valid. */
  kept_session?: string
}

export const accountFields = { _id: id, session_epoch: optional(count), kept_session: optional(text) }

export const epochOf = ({ session_epoch = 0 }: Account) => session_epoch

/** Whether the session began after the account's sessions were last ended, or is the one that ended the others. */
export const isOfEpoch = ({ sid, epoch }: { sid: string; epoch: number }, account: Account) =>
  epoch >= epochOf(account) || sid === account.kept_session

export const isLiving = { ended_at: { $exists: false } }
/** The condition of the partial index on `ended_at`. A query must include it to use the index. */
export const isEnded = { ended_at: { $gt: new Date(0) } }
export const isUsable = () => ({ ...isLiving, expires_at: { $gt: new Date() } })

/** When the session was last refreshed, or begun. */
export const lastUseOf = ({ spent, created_at }: SessionDocument) => spent.at(-1)?.at ?? created_at

/** The wire form, without what depends on the caller. */
export const toSession = (session: SessionDocument): Omit<Session, 'current'> => ({
  id: session._id,
  device: session.device ?? null,
  created_at: timestamp(session.created_at),
  last_used_at: timestamp(lastUseOf(session))
})
