import type { Db, MongoClient } from 'mongodb'
import { ensureIndexes } from '../../../src/data/index.js'
import { emailOf, fillAccounts, fillProfiles, password, profileOf } from '../data/accounts.js'
import { fillCatalogue } from '../data/catalogue.js'
import { choicesFrom } from '../data/choices.js'
import type { Call } from '../load/call.js'
import { judged } from '../measures/goals.js'
import { pageCosts, type TimedPage } from '../measures/page-times.js'
import type { Options } from '../options.js'
import { grouped } from '../report/format.js'
import type { Section } from '../report/section.js'
import { startService } from '../servers/contestants.js'
import type { Server } from '../servers/server.js'
import { type Curve, curvesSection, growthOf } from './curves.js'

/** Besides the first one, which is the account. */
const profilesOfEach = 3
const contents = 100
/**
 * As many as the smallest default database has accounts. The larger ones get no more callers, so that each caller has the same number of
 * sessions in every database.
 */
const callers = 100

/** Measures GET /profiles and a switch to a profile without a PIN, in databases with different numbers of accounts. */
export const growingHouseholds = async (
  client: MongoClient,
  url: string,
  { populations, requests, seed }: Options,
  say: (line: string) => void
): Promise<Section> => {
  const databases = populations.map(accounts => client.db(`households-${accounts}`))
  for (const [i, db] of databases.entries()) {
    const accounts = populations[i] as number
    say(`${grouped(accounts)} accounts with ${profilesOfEach} more profiles each`)
    await fillCatalogue(db, contents, seed)
    await fillAccounts(db, accounts)
    await fillProfiles(db, accounts, profilesOfEach)
    await ensureIndexes(db)
  }
  await client.db('admin').command({ fsync: 1 })

  const services: Server[] = []
  try {
    for (const db of databases) services.push(await startService(`${url}/${db.databaseName}`))
    say(`${callers} of the accounts sign in`)
    const signedIn = await Promise.all(services.map((server, i) => signIn(server, populations[i] as number, seed)))
    const curve = async (name: string, callOf: (account: SignedIn) => Call): Promise<Curve> => {
      const pages = services.map((server, i): TimedPage => ({ server, call: n => callOf(signedIn[i]?.[n % callers] as SignedIn) }))
      return { name, costs: await pageCosts(pages, { db: databases[0] as Db, requests: requests * 2 }) }
    }
    const list = await curve('GET /profiles', ({ headers }) => ({ path: '/profiles', headers }))
    const change = await curve('POST /profiles/{id}/token', ({ headers, profile }) => ({
      method: 'POST',
      path: `/profiles/${profile}/token`,
      headers,
      body: {}
    }))
    const sizes = `${grouped(populations.at(-1) ?? 0)} accounts to ${grouped(populations[0] ?? 0)}`
    const operations = ({ costs }: Curve) => costs.at(-1)?.operations ?? Number.NaN
    return curvesSection({
      title: 'Profiles by the number of accounts',
      remark: `Sequential requests, alternating between databases with these numbers of accounts, each with ${profilesOfEach} profiles besides the first. The profiles have no PIN.`,
      file: 'profiles',
      of: 'accounts',
      sizes: populations,
      curves: [list, change],
      goals: [
        ...[list, change].map(grown => judged({ goal: `${grown.name}, ${sizes}`, unit: 'x', atMost: 1.5 }, growthOf(grown))),
        judged({ goal: 'GET /profiles, on the database', unit: 'operations', atMost: 1 }, operations(list)),
        judged({ goal: 'POST /profiles/{id}/token, on the database', unit: 'operations', atMost: 6 }, operations(change))
      ]
    })
  } finally {
    for (const { stop } of services) await stop()
    for (const db of databases) await db.dropDatabase()
  }
}

interface SignedIn {
  headers: Record<string, string>
  profile: number
}

/** Signs in random accounts, because a switch needs a session. */
const signIn = async ({ port }: Server, accounts: number, seed: number) => {
  const random = choicesFrom(seed)
  const signedIn: SignedIn[] = []
  for (let n = 0; n < callers; n++) {
    const account = accounts === callers ? n + 1 : 1 + random.below(accounts)
    const body = JSON.stringify({ email: emailOf(account), password })
    const response = await fetch(`http://127.0.0.1:${port}/login`, { method: 'POST', body })
    if (!response.ok) throw new Error(`A login failed: ${await response.text()}`)
    const { data } = (await response.json()) as { data: { access_token: string } }
    signedIn.push({
      headers: { authorization: `Bearer ${data.access_token}` },
      profile: profileOf(account, 1 + (n % profilesOfEach), accounts, profilesOfEach)
    })
  }
  return signedIn
}
