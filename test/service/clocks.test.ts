import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { anywhere, type PopularityDocument } from '../../src/data/popularity.js'
import { minutes, seconds } from '../../src/time.js'
import { addUser, buildWith, password } from '../helpers/app.js'
import { databaseUrl } from '../helpers/database.js'
import { content } from '../helpers/documents.js'
import { serving } from '../helpers/serving.js'
import { until } from '../helpers/until.js'

/** Sets the clock of a process, as far as JavaScript reads it. */
const clockOffBy = (milliseconds: number) => {
  const code = `
    const Right = Date
    globalThis.Date = class extends Right {
      constructor(...given) {
        super(...(given.length > 0 ? given : [Date.now()]))
      }
      static now() {
        return Right.now() + ${milliseconds}
      }
    }`
  return `data:text/javascript,${encodeURIComponent(code)}`
}

/** The address of a process with a clock of its own. */
const servingAt = async (t: Test, MONGO_URL: string, offBy: number) => {
  const { address } = await serving(t, { settings: { MONGO_URL }, imports: [clockOffBy(offBy)] })
  return address
}

t.test('processes whose clocks differ', async t => {
  const app = await buildWith(t, { contents: [content(1), content(2)] })
  const { MONGO_URL } = app.settings

  const [fast, slow] = await Promise.all([servingAt(t, MONGO_URL, seconds(2)), servingAt(t, MONGO_URL, -seconds(2))])
  const { email } = await addUser(app)
  const signedIn = await fetch(`${fast}/login`, { method: 'POST', body: JSON.stringify({ email, password }) })
  const { data } = (await signedIn.json()) as { data: { access_token: string } }
  const ask = async (address: string, path: string, method = 'GET', body?: object) => {
    const headers = { authorization: `Bearer ${data.access_token}` }
    const response = await fetch(address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    // biome-ignore lint/suspicious/noExplicitAny: the shapes are the matter of other tests
    return { status: response.status, body: (await response.json()) as any }
  }

  t.test('by seconds take each other’s tokens', async t => {
    t.equal((await ask(slow, '/history')).status, 200)
  })

  t.test('keep the report that came last, whichever of them took it', async t => {
    for (const [n, address] of [fast, slow, fast, slow].entries()) {
      t.equal((await ask(address, '/history', 'POST', { content_id: 1, time: n + 1 })).status, 201)
      const { body } = await ask(fast, '/history')
      t.equal(body.data.collection[0].time, n + 1)
    }
  })

  t.test('know what was watched after a card was dismissed', async t => {
    const cards = async () => (await ask(fast, '/continue-watching')).body.data.collection.length
    t.equal(await cards(), 1)
    t.equal((await ask(fast, '/continue-watching/1', 'DELETE')).status, 200)
    t.equal(await cards(), 0)
    t.equal((await ask(slow, '/history', 'POST', { content_id: 1, time: 60 })).status, 201)
    t.equal(await cards(), 1)
  })

  t.test('refuse within 2 s what the other has ended', async t => {
    t.equal((await ask(fast, '/logout', 'POST')).status, 200)
    await until(async () => (await ask(slow, '/history')).status === 401, { within: 2000 })
  })
})

t.test('a process whose clock is hours off counts what is popular when it is due', async t => {
  const url = await databaseUrl(t)
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  const popularity = client.db().collection<PopularityDocument>('popularity')
  const before = new Date(Date.now() - seconds(60))
  await popularity.insertOne({ _id: anywhere, content_ids: [], views: [], counted_at: before, took: 1 })
  await servingAt(t, url, -minutes(300))
  const last = async () => (await popularity.findOne({ _id: anywhere }))?.counted_at.getTime() ?? 0
  const end = performance.now() + 20_000
  while ((await last()) <= before.getTime() && performance.now() < end) await sleep(50)
  const age = Date.now() - (await last())
  t.ok(age >= 0 && age < seconds(30), `${age} ms ago by the clock of the database`)
})
