import type { Db } from 'mongodb'
import { ensureCollections } from '../src/database/collections.js'
import { connectionTo } from '../src/database/connection.js'
import { hashPassword } from '../src/identity/passwords.js'
import { profilesOf } from '../src/identity/profile-documents.js'
import { usersOf } from '../src/identity/users.js'
import { importFiles } from '../src/import/index.js'
import { demoFiles } from './catalogue.js'
import { demoHistory } from './history.js'
import { demoPassword, demoProfiles, demoUsers } from './users.js'
import { demoViewers } from './viewers.js'

/** A database with the demo is recognized by its first user. */
const isDemo = async (db: Db) => (await usersOf(db).byEmail(demoUsers[0].email)) !== null

/** Looks for documents rather than collections, which an earlier run of the service may have created. */
const isEmpty = async (db: Db) => {
  const found = ['contents', 'terms', 'users', 'history'].map(name => db.collection(name).findOne({}, { projection: { _id: 1 } }))
  return (await Promise.all(found)).every(document => document === null)
}

/** Adds the users who can sign in, and the other profiles of the first user. */
const addViewers = async (db: Db) => {
  const viewers = []
  for (const { taste, ...user } of demoUsers) {
    const { _id: id } = await usersOf(db).add({ ...user, password_hash: await hashPassword(demoPassword) })
    viewers.push({ id, taste })
  }
  const account = viewers[0]?.id as number
  for (const { taste, pin, ...profile } of demoProfiles) {
    const id = await profilesOf(db).add(account, { ...profile, ...(pin !== undefined && { pin_hash: await hashPassword(pin) }) })
    viewers.push({ id: id as number, taste })
  }
  return viewers
}

/**
 * Fills a database without contents, terms, users and history with the demo catalogue and its users. Updates the schedule of a database
 * that it has filled before. Does nothing in any other database, and resolves with false.
 */
export const fillWithDemo = async (url: string, origin: string, say: (line: string) => void) => {
  const { client, db } = connectionTo(url)
  const now = new Date()
  try {
    if (await isEmpty(db)) {
      say('filling the empty database with a demo catalogue, a household, another user and viewers for the recommendations')
      await ensureCollections(db)
      await importFiles(db, await demoFiles(origin, now))
      await importFiles(db, await demoHistory(await addViewers(db), now))
      await importFiles(db, await demoViewers(now), { issuer: 'demo' })
      return true
    }
    if (await isDemo(db)) {
      say('updating the schedule of the demo catalogue')
      const { 'schedule.ndjson': schedule = '' } = await demoFiles(origin, now)
      await importFiles(db, { 'schedule.ndjson': schedule }, { prune: true })
      return true
    }
    return false
  } finally {
    await client.close()
  }
}
