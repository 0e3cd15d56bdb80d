import { isDeepStrictEqual } from 'node:util'
import type { Db, IndexDescription, ObjectId } from 'mongodb'
import { withRetries } from '../database/retry.js'
import { tooManyStreams } from '../errors.js'
import { isUsable, type SessionDocument } from '../identity/session-document.js'
import { seconds } from '../time.js'

/** How long a stream outlives the last heartbeat of its player. */
const life = seconds(60)

/** Who plays: a session or, with an identity provider, a device of a profile, because the provider's sessions are unknown here. */
export type Player = { sid: string } | { profile_id: number; device: string | null }

interface Stream {
  player: Player
  /** By the clock of the database. */
  until: Date
}

/** What plays in an account. In one document, so that players that begin at once cannot exceed the limit. */
export interface StreamsDocument {
  _id: ObjectId
  /** The account. */
  user_id: number
  streams: Stream[]
  /** When the last one ends. */
  expires_at: Date
}

export const streamIndexes: IndexDescription[] = [
  { key: { user_id: 1 }, unique: true },
  { key: { expires_at: 1 }, expireAfterSeconds: 0 }
]

export const streamsOf = (db: Db) => {
  const accounts = db.collection<StreamsDocument>('streams')
  const sessions = db.collection<SessionDocument>('sessions')

  /** Adds or renews a stream if there are fewer than `most` others. Removes the streams that are over, and those of `ended` players. */
  const take = async (user_id: number, player: Player, most: number, ended: Player[]) => {
    // Names of devices may look like expressions.
    const isReplaced = { $in: ['$$stream.player', { $literal: [player, ...ended] }] }
    const isOther = { $and: [{ $gt: ['$$stream.until', '$$NOW'] }, { $not: isReplaced }] }
    const others = { $filter: { input: { $ifNull: ['$streams', []] }, as: 'stream', cond: isOther } }
    const own = { player: { $literal: player }, until: { $add: ['$$NOW', life] } }
    const streams = { $cond: [{ $lt: [{ $size: '$streams' }, most] }, { $concatArrays: ['$streams', [own]] }, '$streams'] }
    const update = [{ $set: { streams: others } }, { $set: { streams } }, { $set: { expires_at: { $max: '$streams.until' } } }]
    const account = await withRetries(() => accounts.findOneAndUpdate({ user_id }, update, { upsert: true, returnDocument: 'after' }))
    return (account as StreamsDocument).streams
  }

  /** The names of the devices that still play, and the players whose session has ended. */
  const holdersOf = async (user_id: number, streams: Stream[]) => {
    const sids = streams.flatMap(({ player }) => ('sid' in player ? [player.sid] : []))
    const filter = { user_id, _id: { $in: sids }, ...isUsable() }
    const living = sids.length > 0 ? await sessions.find(filter, { projection: { device: 1 } }).toArray() : []
    const named = new Map(living.map(({ _id, device = null }) => [_id, device]))
    const devices: (string | null)[] = []
    const ended: Player[] = []
    for (const { player } of streams) {
      const device = 'sid' in player ? named.get(player.sid) : player.device
      if (device === undefined) ended.push(player)
      else devices.push(device)
    }
    return { devices, ended }
  }

  /** Throws if the player may not play. */
  const play = async (account: number, player: Player, most: number, ended: Player[] = []): Promise<void> => {
    const streams = await take(account, player, most, ended)
    if (streams.some(stream => isDeepStrictEqual(stream.player, player))) return
    const holders = await holdersOf(account, streams)
    if (holders.ended.length === 0) throw tooManyStreams(holders.devices)
    // Ending a session leaves its stream in place, so the streams of ended sessions are removed here.
    await play(account, player, most, holders.ended)
  }

  return {
    play,
    stop: (user_id: number, player: Player) => withRetries(() => accounts.updateOne({ user_id }, { $pull: { streams: { player } } }))
  }
}
