import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient, type MongoClientOptions, MongoOperationTimeoutError } from 'mongodb'
import { seconds } from '../../time.js'

interface DriverConnection {
  command: (...args: unknown[]) => Promise<unknown>
  destroy: () => void
}

/**
 * If a command has been sent and less time is left than a round trip takes, the driver (7.5 to 7.9) gives up and keeps the connection.
 * The next command on it would get the answer to that one, which may be the data of another viewer. So the connection is closed.
 */
const closeUnansweredConnections = () => {
  const driver: { Connection: { prototype: DriverConnection } } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js')
  const { prototype } = driver.Connection
  const { command } = prototype
  prototype.command = async function (...args) {
    try {
      return await command.apply(this, args)
    } catch (error) {
      // With a cause, the server has answered that the time is over.
      if (error instanceof MongoOperationTimeoutError && !error.cause) this.destroy()
      throw error
    }
  }
}
closeUnansweredConnections()

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

/** Viewers must see their own writes, and a change of primary must lose none, so the URL may not set preferences. */
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

/** If a connection has just broken, the driver waits forever for its last command. */
export const closeSoon = (client: MongoClient) => Promise.race([client.close(), sleep(closePatience, undefined, { ref: false })])
