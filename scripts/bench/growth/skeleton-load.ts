import { Catalogue } from '../../../src/catalogue/catalogue.js'
import { connectionTo } from '../../../src/data/driver/connection.js'
import { dataOf } from '../../../src/data/index.js'

/** Reads a catalogue as a process does at startup, and reports time and memory. Needs --expose-gc. */
const { client, db } = connectionTo(process.env.MONGO_URL ?? '')
const data = dataOf(db, { LOGIN_LIMIT: 0, ACCESS_TOKEN_TTL: 0, REFRESH_TOKEN_TTL: 0, REFRESH_GRACE: 0, COMPLETED_AT: 90 })
await db.command({ ping: 1 })

const megabytes = () => {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

const before = megabytes()
const began = performance.now()
const catalogue = new Catalogue({ data, readContents: data.contents.byIds, cacheBytes: 1 })
await catalogue.refresh()
const seconds = (performance.now() - began) / 1000
process.send?.({ contents: catalogue.skeleton.size, seconds, megabytes: megabytes() - before })
await client.close()
process.disconnect()
