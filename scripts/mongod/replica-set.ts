import { type Db, MongoClient, MongoServerError } from 'mongodb'
import { until } from '../processes.js'
import { type Mongod, startMongod } from './start.js'

const name = 'viewer'

/** The errors of a mongod that was never a member of a replica set, and of one whose set knows it by another port. */
const notInitiated = 'NotYetInitialized'
const notMember = 'InvalidReplicaSetConfig'

interface Config {
  version: number
  members: { host: string }[]
}

const configOf = async (db: Db): Promise<Config | undefined> => {
  try {
    return (await db.command({ replSetGetConfig: 1 })).config
  } catch (error) {
    const code = error instanceof MongoServerError ? error.codeName : undefined
    if (code === notInitiated) return undefined
    if (code !== notMember) throw error
    const kept = db.client.db('local').collection<Config>('system.replset')
    return (await kept.findOne({}, { readPreference: 'nearest' })) as Config
  }
}

/** Makes the mongod the only member and the primary of a set. Its port differs at each start. */
const lead = async (db: Db, host: string) => {
  const config = await configOf(db)
  if (!config) await db.command({ replSetInitiate: { _id: name, members: [{ _id: 0, host }] } })
  else if (config.members[0]?.host !== host) {
    const members = config.members.map(member => ({ ...member, host }))
    await db.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true })
  }
  await until('A primary', async () => (await db.command({ hello: 1 })).isWritablePrimary)
}

/** Starts a replica set of one, which has change streams. Its data may be from a mongod that was not a member of a set. */
export const startReplicaSetOfOne = async (options: { say: (line: string) => void; dataDir: string }): Promise<Mongod> => {
  const mongod = await startMongod({ ...options, replSet: name })
  const client = new MongoClient(mongod.url, { directConnection: true })
  try {
    await lead(client.db('admin'), new URL(mongod.url).host)
  } catch (error) {
    await mongod.stop()
    throw error
  } finally {
    await client.close()
  }
  return mongod
}
