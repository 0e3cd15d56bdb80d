import { MongoClient, type MongoClientOptions } from 'mongodb'
import { commandOf } from './command.js'

/** The database that the URL names, else `viewer` (the driver would take `test`). */
const databaseOf = (url: string) => decodeURIComponent(/^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1] ?? 'viewer')

const preferences = new Set([
  'readpreference',
  'readpreferencetags',
  'maxstalenessseconds',
  'readconcernlevel',
  'w',
  'wtimeout',
  'wtimeoutms',
  'j',
  'journal'
])

/**
 * The address without what it says of reads and writes. Viewers meet what they wrote, and a session that was ended stays so:
 * that is of the primary. What may be older names its own preference. Writes that fewer than the majority acknowledged are
 * lost at a change of primary.
 */
const withoutPreferences = (url: string) => {
  const [address = '', ...rest] = url.split('?')
  const options = rest.join('?').split('&')
  const kept = options.filter(option => !preferences.has((option.split('=', 1)[0] as string).toLowerCase()))
  return `${address}?${kept.join('&')}`
}

export const connectionTo = (url: string, options: MongoClientOptions = {}) => {
  const client = new MongoClient(withoutPreferences(url), {
    appName: 'viewer',
    // A standalone server's default acknowledges writes that a kill loses.
    writeConcern: { w: 'majority' },
    ...options
  })
  const db = client.db(databaseOf(url))
  return { client, db: Object.assign(db, { command: commandOf(db) }) }
}
