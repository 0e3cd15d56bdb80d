import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { type Mongod, startMongod } from '../mongod/start.js'
import { until } from '../processes.js'

const name = 'soak'

interface Hello {
  isWritablePrimary: boolean
  secondary: boolean
  electionId?: { toHexString: () => string }
}

/** A mongod of the set. It keeps its data and its port when it is killed and restarted. */
export class Member {
  private readonly client: MongoClient
  private isAway = false

  private constructor(
    private mongod: Mongod,
    private readonly dataDir: string
  ) {
    this.client = new MongoClient(mongod.url, {
      directConnection: true,
      serverSelectionTimeoutMS: 500,
      connectTimeoutMS: 500,
      socketTimeoutMS: 500,
      heartbeatFrequencyMS: 1000
    })
  }

  static async start(dataDir: string) {
    return new Member(await start(dataDir), dataDir)
  }

  get host() {
    return new URL(this.mongod.url).host
  }

  /** Undefined at once if the member is known to be down, so that the search for the primary does not wait for it. */
  async hello(): Promise<Hello | undefined> {
    if (this.isAway) return undefined
    return this.client
      .db('admin')
      .command({ hello: 1 })
      .then(
        hello => hello as unknown as Hello,
        () => undefined
      )
  }

  async initiate(config: object) {
    const client = new MongoClient(this.mongod.url, { directConnection: true })
    await client.db('admin').command({ replSetInitiate: config })
    await client.close()
  }

  /** Like a crash: nothing is flushed, and no other member is notified. */
  async kill() {
    this.isAway = true
    process.kill(this.mongod.pid, 'SIGKILL')
    await this.mongod.stop()
  }

  async revive() {
    this.mongod = await start(this.dataDir, Number(new URL(this.mongod.url).port))
    this.isAway = false
  }

  /** Suspends the process: connections stay open, but there are no responses. */
  freeze() {
    this.isAway = true
    process.kill(this.mongod.pid, 'SIGSTOP')
  }

  thaw() {
    process.kill(this.mongod.pid, 'SIGCONT')
    this.isAway = false
  }

  async end() {
    await this.client.close()
    await this.kill().catch(() => undefined)
  }
}

const start = (dataDir: string, port = 0) => startMongod({ say: () => undefined, dataDir, port, replSet: name })

/** Three real members. After `election` seconds without a primary, they elect another. */
export const startReplicaSet = async (election: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'viewer-soak-'))
  const members: Member[] = []
  const stop = async () => {
    await Promise.all(members.map(member => member.end()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    for (const n of [1, 2, 3]) {
      const dataDir = join(folder, String(n))
      await mkdir(dataDir)
      members.push(await Member.start(dataDir))
    }
    await (members[0] as Member).initiate({
      _id: name,
      members: members.map(({ host }, _id) => ({ _id, host })),
      settings: { electionTimeoutMillis: election * 1000 }
    })
  } catch (error) {
    await stop()
    throw error
  }

  const states = () => Promise.all(members.map(async member => ({ member, hello: await member.hello() })))

  return {
    url: `mongodb://${members.map(({ host }) => host).join(',')}/soak?replicaSet=${name}`,
    /** The primary of the latest election. A member that was frozen may still believe in an earlier one. */
    primary: () =>
      until('A primary', async () => {
        const primaries = (await states()).filter(({ hello }) => hello?.isWritablePrimary)
        const electionOf = ({ hello }: (typeof primaries)[number]) => hello?.electionId?.toHexString() ?? ''
        return primaries.sort((a, b) => (electionOf(a) < electionOf(b) ? 1 : -1))[0]?.member
      }),
    /** Waits until there is a primary and two secondaries. */
    whole: () =>
      until('A complete replica set', async () => {
        const all = await states()
        return all.filter(({ hello }) => hello?.secondary).length === 2 && all.some(({ hello }) => hello?.isWritablePrimary)
      }),
    stop
  }
}
export type ReplicaSet = Awaited<ReturnType<typeof startReplicaSet>>
