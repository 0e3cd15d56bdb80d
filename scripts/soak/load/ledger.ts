import type { Db } from 'mongodb'
import type { HistoryDocument } from '../../../src/data/history.js'
import type { WatchlistDocument } from '../../../src/data/watchlist.js'

interface Entry {
  acknowledged?: number
  /** Values sent after the acknowledged one. They may or may not have been stored. */
  uncertain: number[]
}

const key = (user: number, content: number) => `${user} ${content}`

/** Records acknowledged writes, to compare them with the database at the end. */
export class Ledger {
  writes = 0
  private readonly times = new Map<string, Entry>()
  private readonly saved = new Set<string>()

  /** Starts a report. Its time must be later than that of all reports before. */
  reporting(user: number, content: number, time: number) {
    const entry = this.times.get(key(user, content)) ?? { uncertain: [] }
    entry.uncertain.push(time)
    this.times.set(key(user, content), entry)
    return {
      acknowledge: () => {
        this.writes++
        entry.acknowledged = time
        entry.uncertain = []
      }
    }
  }

  acknowledgeSaved(user: number, content: number) {
    this.writes++
    this.saved.add(key(user, content))
  }

  /** The acknowledged writes that are missing from the database. */
  async lost(db: Db) {
    const majority = { readConcern: { level: 'majority' } } as const
    const stored = new Map<string, number>()
    for await (const { user_id, content_id, time } of db.collection<HistoryDocument>('history').find({}, majority))
      stored.set(key(user_id, content_id), time)
    const listed = new Set<string>()
    for await (const { user_id, content_id } of db.collection<WatchlistDocument>('watchlist').find({}, majority))
      listed.add(key(user_id, content_id))

    const times = [...this.times].filter(([name, { acknowledged, uncertain }]) => {
      const time = stored.get(name)
      return acknowledged !== undefined && time !== acknowledged && !(time !== undefined && uncertain.includes(time))
    })
    const saved = [...this.saved].filter(name => !listed.has(name))
    return [...times.map(([name]) => `history ${name}`), ...saved.map(name => `watchlist ${name}`)]
  }
}
