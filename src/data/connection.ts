import { MongoClient, type MongoClientOptions } from 'mongodb'
import { commandOf } from './command.js'

/** The database that the URL names, else `viewer` (the driver would take `test`). */
const databaseOf = (url: string) => decodeURIComponent(/^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1] ?? 'viewer')

export const connectionTo = (url: string, options: MongoClientOptions = {}) => {
  const client = new MongoClient(url, {
    appName: 'viewer',
    // A standalone server's default acknowledges writes that a kill loses.
    writeConcern: { w: 'majority' },
    ...options
  })
  const db = client.db(databaseOf(url))
  return { client, db: Object.assign(db, { command: commandOf(db) }) }
}
