import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { seconds } from '../../time.js'

/** The database that the URL names, or `viewer`, because the driver's default is `test`. */
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
 * Removes read and write settings from the URL. Only reads from the primary show viewers their own writes and keep an ended
 * session ended; queries that may be stale set their own preference. Writes that fewer than a majority have acknowledged are
 * lost when the primary changes.
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
    // The default of a standalone server acknowledges writes that are lost if it is killed.
    writeConcern: { w: 'majority' },
    ...options
  })
  return { client, db: client.db(databaseOf(url)) }
}

/** How long closing waits for the driver. */
const closePatience = seconds(2)

/**
 * Closes the client, but does not wait for long. If a connection has just broken, the driver waits forever: it wants to finish its
 * last command, and nothing leaves a destroyed socket.
 */
export const closeSoon = (client: MongoClient) => Promise.race([client.close(), sleep(closePatience, undefined, { ref: false })])
