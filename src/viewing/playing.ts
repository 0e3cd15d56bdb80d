import { isDeepStrictEqual } from 'node:util'
import type { Db, IndexDescription, ObjectId } from 'mongodb'
import { withRetries } from '../database/retry.js'
import { tooManyStreams } from '../errors.js'
import { isUsable, type SessionDocument } from '../identity/session-document.js'
import { seconds } from '../time.js'

/** How long a device counts as playing after its last heartbeat. */
const life = seconds(60)

/** Who plays: a session or, with an identity provider, a device of a profile, because the provider's sessions are unknown here. */
export type Player = { sid: string } | { user_id: number; device: string | null }

interface PlayingDevice {
  player: Player
  /** By the clock of the database. */
  until: Date
}

/** What is playing in an account. One document, so that players that start at once cannot exceed the limit. */
export interface PlayingDocument {
  _id: ObjectId
  account_id: number
  devices: PlayingDevice[]
  /** When the last one ends. */
  expires_at: Date
}

export const playingIndexes: IndexDescription[] = [
  { key: { account_id: 1 }, unique: true },
  { key: { expires_at: 1 }, expireAfterSeconds: 0 }
]

export const playingOf = (db: Db) => {
  const accounts = db.collection<PlayingDocument>('playing')
  const sessions = db.collection<SessionDocument>('sessions')

  /** Adds or renews a player if there are fewer than `most` others. Removes those that have stopped, and the `ended` ones. */
  const take = async (account_id: number, player: Player, most: number, ended: Player[]) => {
    // Device names may look like expressions.
    const isReplaced = { $in: ['$$device.player', { $literal: [player, ...ended] }] }
    const isOther = { $and: [{ $gt: ['$$device.until', '$$NOW'] }, { $not: isReplaced }] }
    const others = { $filter: { input: { $ifNull: ['$devices', []] }, as: 'device', cond: isOther } }
    const own = { player: { $literal: player }, until: { $add: ['$$NOW', life] } }
    const devices = { $cond: [{ $lt: [{ $size: '$devices' }, most] }, { $concatArrays: ['$devices', [own]] }, '$devices'] }
    const update = [{ $set: { devices: others } }, { $set: { devices } }, { $set: { expires_at: { $max: '$devices.until' } } }]
    const account = await withRetries(() => accounts.findOneAndUpdate({ account_id }, update, { upsert: true, returnDocument: 'after' }))
    return (account as PlayingDocument).devices
  }

  /** The names of the devices that are still playing, and the players whose session has ended. */
  const holdersOf = async (account_id: number, playing: PlayingDevice[]) => {
    const sids = playing.flatMap(({ player }) => ('sid' in player ? [player.sid] : []))
    const filter = { account_id, _id: { $in: sids }, ...isUsable() }
    const living = sids.length > 0 ? await sessions.find(filter, { projection: { device: 1 } }).toArray() : []
    const named = new Map(living.map(({ _id, device = null }) => [_id, device]))
    const names: (string | null)[] = []
    const ended: Player[] = []
    for (const { player } of playing) {
      const name = 'sid' in player ? named.get(player.sid) : player.device
      if (name === undefined) ended.push(player)
      else names.push(name)
    }
    return { names, ended }
  }

  /** Throws if the player may not play. */
  const start = async (account_id: number, player: Player, most: number, ended: Player[] = []): Promise<void> => {
    const playing = await take(account_id, player, most, ended)
    if (playing.some(device => isDeepStrictEqual(device.player, player))) return
    const holders = await holdersOf(account_id, playing)
    if (holders.ended.length === 0) throw tooManyStreams(holders.names)
    // Ending a session leaves its player in place, so the players of ended sessions are removed here.
    await start(account_id, player, most, holders.ended)
  }

  return {
    start,
    stop: (account_id: number, player: Player) => withRetries(() => accounts.updateOne({ account_id }, { $pull: { devices: { player } } }))
  }
}
