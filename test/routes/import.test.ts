import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { catalogueLease } from '../../src/import/import-lease.js'
import { notFound, unauthenticated } from '../helpers/answers.js'
import { type App, build } from '../helpers/app.js'
import { appUrl, databaseOf } from '../helpers/database.js'
import { proxyTo } from '../helpers/proxy.js'
import { serving } from '../helpers/serving.js'
import { parsed, talk } from '../helpers/sockets.js'
import { until } from '../helpers/until.js'
import { film, lines, user } from '../import/helper.js'

const key = 'a key of the tests that nobody guesses'
const authorized = { authorization: `Bearer ${key}` }

const listening = async (t: Test, log: string[] = [], settings: Record<string, string> = {}) => {
  const app = await build(t, { settings: { IMPORT_KEY: key, LOG_LEVEL: 'trace', ...settings }, log })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}

const portOf = ({ server }: App) => (server.address() as AddressInfo).port
const addressOf = (app: App) => `http://127.0.0.1:${portOf(app)}`

const send = async (address: string, path: string, body: string, headers: Record<string, string> = authorized) => {
  const response = await fetch(`${address}${path}`, { method: 'POST', body, headers })
  const answer = JSON.parse(await response.text())
  return { status: response.status, body: answer, headers: response.headers }
}

const counts = (added: number, changed: number, unchanged: number, removed: number) => ({
  status: 200,
  body: { success: true, data: { added, changed, unchanged, removed, warnings: [] } }
})

const imported = async (address: string, path: string, body: string) => {
  const { status, body: answer } = await send(address, path, body)
  return { status, body: answer }
}

const contentsIn = (app: App) =>
  databaseOf(app)
    .collection<{ _id: number }>('contents')
    .find({}, { projection: { _id: 1 }, sort: { _id: 1 } })
    .toArray()
    .then(all => all.map(({ _id }) => _id))

const uploads = () => readdirSync(tmpdir()).filter(name => name.startsWith(`viewer-import-${process.pid}-`))

t.test('POST /import/{file}', async t => {
  const log: string[] = []
  const app = await listening(t, log)
  const here = addressOf(app)
  // An import by the compiled service takes a fifth of the time of one that counts its coverage, so only a few do.
  const settings = { MONGO_URL: app.settings.MONGO_URL, IMPORT_KEY: key, LOG_LEVEL: 'trace', DATABASE_TIMEOUT: '15000' }
  const { address, said } = await serving(t, { settings })
  const shown = async (id: number) => {
    const response = await fetch(`${address}/contents/${id}`)
    return { status: response.status, name: JSON.parse(await response.text()).data?.name }
  }

  await t.test('counts what it writes, and viewers see it', async t => {
    t.strictSame(await imported(here, '/import/contents', lines(film(1), film(2), film(3))), counts(3, 0, 0, 0))
    t.strictSame(await imported(address, '/import/contents', lines(film(1), film(2, { name: 'New' }))), counts(0, 1, 1, 0))
    await until(async () => (await shown(2)).name === 'New')
  })

  await t.test('with prune, removes what the lines lack', async t => {
    t.strictSame(await imported(address, '/import/contents?prune=true', lines(film(1), film(4))), counts(1, 0, 1, 2))
    await until(async () => (await shown(2)).status === 404)
    t.strictSame(
      await imported(address, '/import/contents?prune=true', ''),
      counts(0, 0, 0, 2),
      'with an empty body, all contents are missing'
    )
    t.strictSame(
      await imported(address, '/import/contents?prune=false', lines(film(1), film(2))),
      counts(0, 2, 0, 0),
      'a listed content comes back'
    )
  })

  await t.test('with check, says the same, and writes nothing', async t => {
    const db = databaseOf(app)
    const stored = async () => [await contentsIn(app), await db.collection('audit').find().toArray()]
    const before = await stored()
    const contents = lines(film(1, { name: 'Checked' }), { id: 50, type: 'season', name: 'Season' })
    const warnings = [{ line: 2, field: 'parent_id', message: 'is missing: this season is on no page of a show' }]
    t.strictSame(await imported(here, '/import/contents?check=true&prune=true', contents), {
      status: 200,
      body: { success: true, data: { added: 1, changed: 1, unchanged: 0, removed: 1, warnings } }
    })
    t.match(await imported(here, '/import/contents?check=true', lines(film(1, { name: 5 }))), {
      status: 400,
      body: { errors: [{ line: 1, field: 'name', message: 'must be a string' }] }
    })
    t.match(await imported(here, '/import/contents?check=maybe', ''), { status: 400 })
    t.strictSame(await stored(), before)
    const lease = { _id: catalogueLease as string, holder: 'another', expires_at: new Date(Date.now() + 60_000) }
    await db.collection<{ _id: string }>('leases').replaceOne({ _id: catalogueLease }, lease, { upsert: true })
    t.match(await imported(here, '/import/contents?check=true', contents), { status: 200 }, 'beside an import')
    await db.collection<{ _id: string }>('leases').deleteOne({ _id: catalogueLease })
    t.ok(log.some(line => line.includes('"msg":"checked"')))

    const upload = request({ port: portOf(app), method: 'POST', path: '/import/contents?check=true', headers: authorized })
    upload.write(contents)
    await until(() => uploads().length > 0)
    t.match(await imported(here, '/import/contents?check=true', contents), { status: 409 }, 'one check at a time')
    upload.end()
    const [answer] = (await once(upload, 'response')) as [IncomingMessage]
    t.equal(answer.statusCode, 200)
    answer.resume()
  })

  await t.test('takes hidden titles of users, and says which lines are wrong', async t => {
    await imported(address, '/import/users', lines(user(1)))
    const titles = lines({ user_id: 1, content_id: 1 }, { user_id: 1, content_id: 2, created_at: '2026-01-01T00:00:00Z' })
    t.strictSame(await imported(address, '/import/hidden', titles), counts(2, 0, 0, 0))
    t.strictSame(await imported(address, '/import/hidden?prune=true', titles), counts(0, 0, 2, 0))
    t.match(await imported(address, '/import/hidden', lines({ user_id: 2, content_id: 1 })), {
      status: 400,
      body: { errors: [{ line: 1, field: 'user_id', message: 'there is no user 2' }] }
    })
  })

  await t.test('names the lines that are wrong, and writes nothing', async t => {
    const body = `${lines(film(5), film(6, { name: 5, colour: 'red' }))}\n\n{"id":7,\n${lines(film(5))}`
    t.strictSame(await imported(here, '/import/contents', body), {
      status: 400,
      body: {
        success: false,
        code: 400,
        message: 'line 2: colour is not a field of contents, and 3 more errors',
        errors: [
          { line: 2, field: 'colour', message: 'is not a field of contents' },
          { line: 2, field: 'name', message: 'must be a string' },
          { line: 4, field: 'JSON', message: 'Expected double-quoted property name in JSON at position 8' },
          { line: 5, field: 'id', message: 'is already used in line 1' }
        ]
      }
    })
    const many = await send(address, '/import/contents', Array.from({ length: 250 }, (_, i) => lines(film(i + 10, { name: 5 }))).join('\n'))
    t.equal(many.status, 400)
    t.equal(many.body.errors.length, 100)
    t.equal(many.body.message, 'line 1: name must be a string, and 249 more errors')
    t.strictSame(await contentsIn(app), [1, 2, 3, 4])
  })

  await t.test('takes users of an identity provider only with JWT_ISSUER, as the command does', async t => {
    const { status, body } = await send(address, '/import/users', lines({ id: 5, sub: 'abc' }))
    t.match({ status, message: body.message }, { status: 400, message: /JWT_ISSUER/ })
    const other = await listening(t, [], { JWT_ISSUER: 'https://accounts.example' })
    t.strictSame(await imported(addressOf(other), '/import/users', lines({ id: 5, sub: 'abc' })), counts(1, 0, 0, 0))
  })

  await t.test('wants its key', async t => {
    const wrong = [{}, { authorization: key }, { authorization: 'Bearer' }, { authorization: 'Bearer ' }, { authorization: `Basic ${key}` }]
    const near = [`${key}x`, key.slice(1), key.toUpperCase(), ` ${key} x`].map(guess => ({ authorization: `Bearer ${guess}` }))
    for (const headers of [...wrong, ...near] as Record<string, string>[]) {
      const { status, body } = await send(here, '/import/contents', lines(film(9)), headers)
      t.strictSame([status, JSON.stringify(body)], [401, unauthenticated], headers.authorization ?? 'none')
    }
    t.equal((await send(address, '/import/contents', '', { authorization: `bEaReR ${key}` })).status, 200)
  })

  await t.test('refuses other files, methods and queries', async t => {
    for (const file of ['nothing', 'Contents', 'contents.ndjson', '%2e%2e', 'constructor', ''])
      t.strictSame(await imported(here, `/import/${file}`, ''), { status: 404, body: notFound }, file)
    t.equal((await app.inject({ url: '/import/contents', headers: authorized })).statusCode, 405)
    for (const query of ['prune=1', 'prune=', 'prune=TRUE', 'prune=true&prune=true'])
      t.equal((await send(here, `/import/contents?${query}`, '')).status, 400, query)
  })

  await t.test('runs alone', async t => {
    const held = await app.data.leases.withLease(catalogueLease, async () => {
      const { status, body, headers } = await send(here, '/import/contents', lines(film(9)))
      t.strictSame(
        [status, body, headers.get('retry-after')],
        [409, { success: false, code: 409, message: 'Another import is running, try again later' }, '5']
      )
      return true
    })
    t.ok(held)
    t.strictSame(await contentsIn(app), [1, 2, 3, 4])
  })

  await t.test('that loses its turn while it is slow writes nothing over a newer one', async t => {
    const upload = request({ port: portOf(app), method: 'POST', path: '/import/contents', headers: authorized })
    upload.write(`${lines(film(1, { name: 'Older' }))}\n`)
    await until(() => uploads().length > 0)
    const leases = databaseOf(app).collection<{ _id: string }>('leases')
    await leases.updateOne({ _id: catalogueLease }, [{ $set: { expires_at: '$$NOW' } }])
    t.strictSame(await imported(address, '/import/contents', lines(film(1, { name: 'Newer' }))), counts(0, 1, 0, 0))
    upload.end()
    const [answer] = (await once(upload, 'response')) as [IncomingMessage]
    t.strictSame(
      [answer.statusCode, answer.headers['retry-after'], JSON.parse(await text(answer))],
      [409, '5', { success: false, code: 409, message: 'The import lost its lease, send the file again' }]
    )
    const stored = await databaseOf(app).collection<{ _id: number }>('contents').findOne({ _id: 1 })
    t.match(stored, { name: 'Newer' })
    t.equal(await leases.countDocuments({ _id: catalogueLease }), 0)
  })

  await t.test('is counted by file and status', async t => {
    const series = async () => {
      const text = await (await fetch(`${address}/metrics`)).text()
      const lines = text.split('\n').filter(line => /^imports?_.*file="(terms|nothing)"/.test(line))
      return Object.fromEntries(lines.map(line => line.split(' ')))
    }
    const imports = (status: number) => `imports_total{file="terms",status="${status}"}`
    const before = await series()
    const statuses = [200, 400, 401, 408, 409, 429, 500, 503]
    t.strictSame(before, Object.fromEntries(statuses.map(status => [imports(status), '0'])))

    const began = performance.now()
    t.equal((await send(address, '/import/terms', '')).status, 200)
    const took = (performance.now() - began) / 1000
    t.equal((await send(address, '/import/terms', '{}')).status, 400)
    t.equal((await send(address, '/import/terms', '', {})).status, 401)
    t.equal((await send(address, '/import/nothing', '')).status, 404)
    const { 'import_duration_seconds{file="terms"}': seconds, ...after } = await series()
    t.strictSame(after, { ...before, [imports(200)]: '1', [imports(400)]: '1', [imports(401)]: '1' })
    t.ok(Number(seconds) > 0 && Number(seconds) < took + 0.1, `${seconds} of ${took} s`)
  })

  await t.test('writes nothing of an upload whose caller hangs up', async t => {
    const upload = request({ port: portOf(app), method: 'POST', path: '/import/contents', headers: authorized }).on('error', () => {})
    upload.write(`${lines(film(9))}\n`)
    await until(() => uploads().length > 0)
    upload.destroy()
    await until(() => uploads().length === 0)
    await until(async () => (await send(address, '/import/contents', '')).status === 200)
    const head = `POST /import/contents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
    const broken = parsed(await talk(app, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\nnonsense\r\n`))
    t.equal(broken.statusCode, 400)
    t.strictSame(await contentsIn(app), [1, 2, 3, 4])
  })

  await t.test('is recorded, with wrong keys by the minute', async t => {
    const audit = databaseOf(app).collection('audit')
    const of = async (subject: string | null) => audit.find({ subject }).sort({ at: 1 }).toArray()
    t.match(await of('hidden'), [
      { action: 'import hidden', actor: '127.0.0.1', outcome: 'done' },
      { outcome: 'done' },
      { outcome: 'refused', at: Date, expires_at: Date }
    ])
    const outcomes = async () => (await of('contents')).map(({ outcome }) => outcome)
    t.strictSame((await outcomes()).slice(0, 2), ['done', 'done'])
    // Another import was running, one has lost its lease, and two callers have hung up, whose records come later.
    const count = async (wanted: string) => (await outcomes()).filter(outcome => outcome === wanted).length
    await until(async () => (await count('refused')) === 3 && (await count('failed')) === 3)
    t.strictSame(await of('nothing'), [])
    await until(async () => (await of(null)).reduce((sum, { attempts }) => sum + attempts, 0) === 10)
    const minutes = await of(null)
    t.ok(minutes.length <= 3, 'one for each minute')
    for (const record of minutes) {
      t.match(record, { action: 'import', actor: '127.0.0.1', outcome: 'refused', at: Date, expires_at: Date })
      t.equal(record.at.getTime() % 60_000, 0)
    }
  })

  for (const lines of [log.join('\n'), said()]) {
    t.notMatch(lines, key, 'the key is not in the log')
    t.match(lines, '"msg":"imported"')
  }
})

t.test('a flood of wrong keys takes few writes, and an outage loses none', async t => {
  const proxy = await proxyTo(t, await appUrl(t))
  const settings = { IMPORT_KEY: key, TRUST_PROXY: '1', DATABASE_TIMEOUT: '3000' }
  const log: string[] = []
  const app = await build(t, { url: proxy.url, settings, log })
  const audit = databaseOf(app).collection('audit')
  const guess = async (chain: string) => {
    const headers = { authorization: 'Bearer a guess', 'x-forwarded-for': chain }
    await app.inject({ method: 'POST', url: '/import/contents', headers, payload: '' })
  }
  proxy.leave()
  for (const chain of ['203.0.113.9', '198.51.100.1, 203.0.113.9', '2001:db8:1:2:3::4', '2001:db8:1:2:5::6']) await guess(chain)
  // More than a write under way and the next one hold.
  let sent = 2100
  for (let at = 0; at < sent; at += 100)
    await Promise.all(Array.from({ length: 100 }, (_, i) => guess(`10.0.${Math.floor(at / 100)}.${i}`)))
  // Some come while a write is under way that fails.
  for (; !log.some(line => line.includes('wrong keys could not be recorded')); sent++) {
    await guess('10.2.0.1')
    await sleep(100)
  }
  proxy.comeBack()
  const attempts = async (filter: object) => (await audit.find(filter).toArray()).reduce((sum, { attempts }) => sum + attempts, 0)
  await until(async () => (await attempts({}).catch(() => 0)) === sent + 4)
  t.equal(await attempts({ actor: '203.0.113.9' }), 2, 'by the address that the proxy names')
  t.equal(await attempts({ actor: '2001:db8:1:2::/64' }), 2)
  t.ok((await attempts({ actor: 'others' })) > 0, 'addresses beyond a thousand are counted together')
  await Promise.all(Array.from({ length: 50 }, (_, i) => guess(`10.1.0.${i}`)))
  await until(async () => (await attempts({})) === sent + 54)
  const perMinute = await audit.aggregate([{ $group: { _id: '$at', records: { $sum: 1 } } }]).toArray()
  for (const { records } of perMinute) t.ok(records <= 1001, `${records} in a minute, however many writes it took`)

  await guess('203.0.113.9')
  await app.close()
  const client = await MongoClient.connect(app.settings.MONGO_URL)
  t.teardown(() => client.close())
  // By any address: in the minute of a flood, this one may be among the others.
  const written = await client.db().collection('audit').find().toArray()
  t.equal(
    written.reduce((sum, { attempts }) => sum + attempts, 0),
    sent + 55,
    'a process that stops writes what it has counted'
  )
})

t.test('without a key, there is no import over HTTP', async t => {
  const app = await build(t)
  const answer = await app.inject({ method: 'POST', url: '/import/contents', headers: authorized, payload: '' })
  t.strictSame([answer.statusCode, answer.json()], [404, notFound])
})
