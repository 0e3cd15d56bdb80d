import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { hours, seconds } from '../time.js'

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

/** Drops read and write preferences from the URL, because viewers must see their own writes, and a change of primary must lose none. */
const withoutPreferences = (url: string) => {
  const [address = '', ...rest] = url.split('?')
  const options = rest.join('?').split('&')
  const kept = options.filter(option => !preferences.has((option.split('=', 1)[0] as string).toLowerCase()))
  return `${address}?${kept.join('&')}`
}

/** The minimum time that a server gets to accept a connection. */
const handshakePatience = seconds(2)

/** For a client whose callers wait this many milliseconds (docs/decisions/009). */
export const timeoutsOf = (timeout: number) => ({
  serverSelectionTimeoutMS: timeout,
  waitQueueTimeoutMS: timeout,
  // A handshake with an unresponsive server delays the handshakes after it.
  connectTimeoutMS: Math.max(timeout, handshakePatience),
  socketTimeoutMS: timeout
})

/** Without options, for work that may take an hour, such as building an index. */
export const connectionTo = (url: string, options: MongoClientOptions = {}) => {
  const client = new MongoClient(withoutPreferences(url), {
    appName: 'viewer',
    // By default, a standalone server acknowledges writes that are lost if it is killed.
    writeConcern: { w: 'majority' },
    // Connections that the network has silently dropped are closed when a heartbeat fails, within this and `connectTimeoutMS`.
    heartbeatFrequencyMS: seconds(2),
    socketTimeoutMS: hours(1),
    ...options
  })
  return { client, db: client.db(databaseOf(url)) }
}

/** How long closing waits for the driver. */
const closePatience = seconds(2)

/** If a connection has just broken, the driver would wait forever for its last command. */
export const closeSoon = (client: MongoClient) => Promise.race([client.close(), sleep(closePatience, undefined, { ref: false })])
