import { MongoClient } from 'mongodb'
import type { Test } from 'tap'
import { startMongod } from '../../scripts/mongod/start.js'

const start = async (t: Test) => {
  const { url, pid, stop } = await startMongod({ say: () => undefined, replSet: 'viewer' })
  t.teardown(stop)
  const client = new MongoClient(url, { directConnection: true })
  t.teardown(() => client.close())
  /** Like a crash: nothing is flushed, and no other member is told. */
  const kill = () => process.kill(pid, 'SIGKILL')
  return { host: new URL(url).host, admin: client.db('admin'), kill }
}

/**
 * A set of `size` members, the first of which is the primary. With an `election`, in milliseconds, another member may take its place. If it
 * is short, a primary that is only slow loses it.
 */
export const replicaSet = async (t: Test, size: number, election?: number) => {
  const members = await Promise.all(Array.from({ length: size }, () => start(t)))
  const [first] = members as [(typeof members)[0]]
  const config = {
    _id: 'viewer',
    members: members.map(({ host }, _id) => ({ _id, host, priority: _id === 0 ? 2 : election === undefined ? 0 : 1 })),
    ...(election !== undefined && { settings: { electionTimeoutMillis: election } })
  }
  t.match(await first.admin.command({ replSetInitiate: config }), { ok: 1 })
  return { url: `mongodb://${first.host}/viewer?replicaSet=viewer`, members }
}
