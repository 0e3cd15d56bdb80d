import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { Db, IndexDescription } from 'mongodb'
import { withRetries } from '../database/retry.js'
import { orThrow, unauthenticated } from '../errors.js'
import { seconds } from '../time.js'
import { type Account, epochOf, isOfEpoch, isUsable, lastUseOf, type SessionDocument } from './session-document.js'
import { type OnSessionsEnded, sessionEndsOf, sessionsPerUser } from './session-ends.js'

export const sessionIndexes: IndexDescription[] = [
  { key: { account_id: 1, expires_at: 1, _id: 1 } },
  { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  { key: { ended_at: 1 }, partialFilterExpression: { ended_at: { $gt: new Date(0) } } }
]

const spentKept = 32

export interface Session {
  sid: string
  account_id: number
  /** For the first profile, the id of the account. */
  user_id: number
  epoch: number
  refresh_token: string
}

interface Begun extends Session {
  /** The sessions that had to make room. */
  replaced: string[]
}

interface Beginning {
  user_id?: number
  /** The profiles whose sessions may be ended if the account has too many. All by default. */
  inPlaceOf?: number[] | undefined
}

interface Options {
  /** Lifetime of a session after its last use, in seconds. */
  life: number
  /** Lifetime of an access token in seconds. */
  accessLife: number
  /** How many seconds after its use a refresh token may be reused without ending its session. */
  grace: number
  onEnd?: OnSessionsEnded | undefined
}

const hashOf = (text: string) => hash('sha256', text, 'base64url')
const random = () => randomBytes(24).toString('base64url')

const tokenForm = /^([1-9]\d{0,15})\.([0-9a-f-]{36})\.([1-9]\d{0,15})\.([\w-]{32})\.([\w-]{32})$/

const read = (token: string) => {
  const [, user, sid, generation, family, secret] = tokenForm.exec(token) ?? []
  if (!user || !sid || !generation || !family || !secret) return undefined
  return { account_id: Number(user), sid, generation: Number(generation), family, secret }
}

export const sessionsOf = (db: Db, { life, accessLife, grace, onEnd }: Options) => {
  const sessions = db.collection<SessionDocument>('sessions')
  const accounts = db.collection<Account>('users')
  const { endSurplus, ...ends } = sessionEndsOf(db, accessLife, onEnd)

  /** A session and its account, read from the database. Undefined if the session has ended. */
  const living = async (account_id: number, sid: string) => {
    const [session, account] = await Promise.all([
      sessions.findOne({ _id: sid, account_id, ...isUsable() }),
      accounts.findOne({ _id: account_id }, { projection: { session_epoch: 1, kept_session: 1 } })
    ])
    return session && account && isOfEpoch({ sid, epoch: session.epoch }, account) ? { session, account } : undefined
  }

  const insert = async (account: Account, device: string | null, { user_id = account._id, inPlaceOf }: Beginning): Promise<Begun> => {
    const [account_id, epoch] = [account._id, epochOf(account)]
    const [sid, family, secret, now] = [randomUUID(), random(), random(), new Date()]
    const session = {
      account_id,
      ...(user_id !== account_id && { user_id }),
      device,
      family: hashOf(family),
      secret: hashOf(secret),
      generation: 1,
      spent: [],
      access_life: accessLife,
      epoch,
      created_at: now,
      expires_at: new Date(now.getTime() + seconds(life))
    }
    // A retry after a lost response must not recreate a session that was ended meanwhile.
    await withRetries(() => sessions.updateOne({ _id: sid, account_id }, { $setOnInsert: session }, { upsert: true }))
    const replaced = await withRetries(() => endSurplus(account_id, sid, inPlaceOf))
    return { replaced, sid, account_id, user_id, epoch, refresh_token: `${account_id}.${sid}.1.${family}.${secret}` }
  }

  return {
    /**
     * Begins a session, then asks `confirm` for the user who may have it, and ends it again if there is none. `confirm` must read the
     * account again, which may have changed, or ended all its sessions, since the caller was allowed to sign in.
     */
    begin: async <User>(
      account: Account,
      device: string | null,
      confirm: (session: Begun) => Promise<User | undefined>,
      options: Beginning = {}
    ): Promise<{ user: User; session: Begun } | undefined> => {
      const session = await insert(account, device, options)
      const user = await confirm(session)
      if (user !== undefined) return { user, session }
      await ends.end(session.account_id, session.sid)
      return undefined
    },

    /** Exchanges a refresh token for the next one. Only one of two concurrent uses wins, because the filter names the generation. */
    renew: async (token: string): Promise<Session | undefined> => {
      const given = read(token)
      if (!given) return undefined
      const { sid, account_id, generation } = given
      const [secret, now] = [random(), new Date()]
      const family = { _id: sid, account_id, family: hashOf(given.family) }
      const renewed = await withRetries(() =>
        sessions.findOneAndUpdate(
          { ...family, generation, secret: hashOf(given.secret), expires_at: { $gt: now } },
          {
            $set: {
              secret: hashOf(secret),
              generation: generation + 1,
              expires_at: new Date(now.getTime() + seconds(life))
            },
            $max: { access_life: accessLife },
            $push: { spent: { $each: [{ generation, at: now }], $slice: -spentKept } }
          },
          { returnDocument: 'after' }
        )
      )
      const session = renewed ?? (await sessions.findOne(family))
      // A retry after a lost response finds that its first attempt succeeded.
      if (session?.secret === hashOf(secret))
        return {
          sid,
          account_id,
          user_id: session.user_id ?? account_id,
          epoch: session.epoch,
          refresh_token: `${account_id}.${sid}.${generation + 1}.${given.family}.${secret}`
        }

      if (session && generation < session.generation && isReuse(session, generation, now.getTime() - seconds(grace))) {
        await ends.end(account_id, sid)
      }
      return undefined
    },

    living,

    /**
     * Access tokens may be accepted for 2 s after their session has ended, which must not be enough to sign in, or to sign out the owner.
     */
    livingOrThrow: async (account_id: number, sid: string) => orThrow(await living(account_id, sid), unauthenticated),

    /** Whether a session has ended at its own request. */
    hasLoggedOut: async (account_id: number, sid: string) => (await sessions.findOne({ _id: sid, account_id, logged_out: true })) !== null,

    /** The sessions of a user, most recently used first. */
    list: async (account_id: number) => {
      const order = { sort: { expires_at: -1, _id: -1 }, limit: sessionsPerUser } as const
      const found = await sessions.find({ account_id, ...isUsable() }, order).toArray()
      return found.sort((a, b) => lastUseOf(b).getTime() - lastUseOf(a).getTime())
    },

    ...ends
  }
}

/** Whether a token is used again, and not just because the response was lost. */
const isReuse = ({ spent }: SessionDocument, generation: number, time: number) => {
  const use = spent.find(entry => entry.generation === generation)
  return !use || use.at.getTime() < time
}
