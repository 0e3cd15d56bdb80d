import t, { type Test } from 'tap'
import type { StreamsDocument } from '../../src/data/streams.js'
import { type Answer, assertRefused } from '../helpers/answers.js'
import { addUser, build, buildWith, password } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { deviceOf, householdOf, profileOf, streamsOf } from '../helpers/devices.js'
import { film } from '../helpers/documents.js'
import { freezableMongod, freeze } from '../helpers/freeze.js'
import { until } from '../helpers/until.js'
import { assertDone, assertError, closed, countryCases, notInUs, notToBeAdded, swedish, wantToken } from './helper.js'

const contents = [film(1, { min_age: 0 }), film(2, { min_age: 12 }), ...Object.values(closed), swedish, notInUs]
const settings = { MAX_STREAMS: '2', COUNTRY_HEADER: 'cf-ipcountry' }

const assertFull = (t: Test, answer: Answer, names: string, devices: (string | null)[]) => {
  const message = `The account already plays on ${names}`
  t.strictSame([answer.statusCode, answer.json()], [409, { success: false, code: 409, message, devices }])
  t.equal(answer.headers['cache-control'], 'no-store')
}
const statusesOf = (answers: Answer[]) => answers.map(({ statusCode }) => statusCode)

t.test('a limit of two', async t => {
  const app = await buildWith(t, { contents }, { settings })
  const stored = databaseOf(app).collection<StreamsDocument>('streams')

  t.test('refuses the third device, until another one stops', async t => {
    const { user, devices } = await householdOf(app, 'Living room TV', null, 'Phone')
    const [tv, tablet, phone] = devices
    assertDone(t, await tv.play(), 200)
    assertDone(t, await tablet.play(), 200)
    assertFull(t, await phone.play(), 'Living room TV and a device without a name', ['Living room TV', null])
    assertDone(t, await tv.play(), 200, 'a device that plays may go on')
    assertDone(t, await tv.play(2), 200, 'also with another content')
    t.equal((await phone.play()).statusCode, 409)
    assertDone(t, await phone.stop(), 200, 'nothing is playing')
    t.equal((await phone.play()).statusCode, 409)
    assertDone(t, await tv.stop(), 200)
    assertDone(t, await phone.play(), 200)
    assertFull(t, await tv.play(), 'a device without a name and Phone', [null, 'Phone'])
    t.equal((await streamsOf(app, user)).length, 2)
  })

  t.test('holds for each account alone, and for all of its profiles', async t => {
    const [ours, theirs] = [await householdOf(app, 'TV', 'Tablet'), await householdOf(app, 'TV', 'Tablet')]
    const [tv, tablet] = ours.devices
    const mia = await profileOf(app, ours.user)
    const phone = await deviceOf(app, ours.user, 'Phone', mia)
    for (const device of [...theirs.devices, phone, tv]) assertDone(t, await device.play(), 200)
    assertFull(t, await tablet.play(), 'Phone and TV', ['Phone', 'TV'])
    assertDone(t, await phone.stop(), 200)
    assertDone(t, await tablet.play(), 200)
    t.equal((await streamsOf(app, theirs.user)).length, 2, 'streams of others do not stop')
    t.strictSame(await streamsOf(app, mia), [])
  })

  t.test('forgets a device a minute after its last heartbeat, by the clock of the database', async t => {
    const { user, devices } = await householdOf(app, 'TV', 'Tablet', 'Phone')
    const [tv, tablet, phone] = devices
    await tv.play()
    await tablet.play()
    const until = { $subtract: ['$$this.until', '$$NOW'] }
    const lives = { $map: { input: '$streams', in: until } }
    const last = { $subtract: ['$expires_at', '$$NOW'] }
    const [left] = await stored.aggregate([{ $match: { user_id: user._id } }, { $project: { lives, last } }]).toArray()
    t.equal(left?.lives.length, 2)
    for (const life of [...(left?.lives ?? []), left?.last]) t.ok(life > 50_000 && life <= 60_000, `${life}`)
    const leave = (milliseconds: number) =>
      stored.updateOne({ user_id: user._id }, [
        { $set: { streams: { $map: { input: '$streams', in: { player: '$$this.player', until: { $add: ['$$NOW', milliseconds] } } } } } }
      ])
    await leave(10_000)
    t.equal((await phone.play()).statusCode, 409, 'but not before')
    await leave(0)
    assertDone(t, await phone.play(), 200)
    t.equal((await streamsOf(app, user)).length, 1, 'the other streams are gone')
    await leave(-1)
    assertDone(t, await phone.play(), 200, 'a late heartbeat begins a new stream')
    assertDone(t, await tv.play(), 200)
    assertFull(t, await tablet.play(), 'Phone and TV', ['Phone', 'TV'])
  })

  t.test('is exact, however many begin at once in however many processes', async t => {
    const given = { url: app.settings.MONGO_URL, settings: { MAX_STREAMS: '3' } }
    const [one, two] = [await build(t, given), await build(t, given)]
    for (let round = 0; round < 4; round++) {
      const user = await addUser(app)
      const devices = await Promise.all(Array.from({ length: 30 }, (_, i) => deviceOf(i % 2 ? one : two, user, `${i}`)))
      const answers = await Promise.all(devices.map(device => device.play()))
      t.strictSame(statusesOf(answers).sort(), [...Array(3).fill(200), ...Array(27).fill(409)])
      const [first, ...others] = devices.filter((_, i) => answers[i]?.statusCode === 200)
      const again = await Promise.all(devices.map(device => (device === first ? device.stop() : device.play())))
      const playing = devices.filter((device, i) => device !== first && again[i]?.statusCode === 200)
      t.ok(
        others.every(device => playing.includes(device)),
        'devices that play may go on'
      )
      t.ok(playing.length <= 3, 'one of the waiting devices may be in time')
      t.equal((await streamsOf(app, user)).length, playing.length)
    }
  })

  t.test('that is lower than before stops as many as are too many', async t => {
    const generous = await build(t, { url: app.settings.MONGO_URL, settings: { MAX_STREAMS: '4' } })
    const { devices } = await householdOf(app, '1', '2', '3', '4')
    const playAt = async (one: typeof app) => {
      const statuses = []
      for (const { headers } of devices)
        statuses.push((await one.inject({ method: 'POST', url: '/playing', headers, payload: { content_id: 1 } })).statusCode)
      return statuses
    }
    t.strictSame(await playAt(generous), [200, 200, 200, 200])
    for (let round = 0; round < 3; round++) t.strictSame(await playAt(app), [409, 409, 200, 200])
  })

  t.test('is not asked about what is no content', async t => {
    const { user, devices } = await householdOf(app, 'TV')
    const [tv] = devices
    for (const body of [undefined, {}, [], 'null', '"x"', { device: 'x'.repeat(101) }])
      assertError(t, await tv.send('POST', body), 400, 400, 'The content ID was not provided', JSON.stringify(body))
    for (const content_id of [0, -1, 1.5, '1', true, null, [1], {}, 2 ** 53, { $gt: 0 }])
      assertRefused(t, await tv.send('POST', { content_id }), 'content_id', JSON.stringify(content_id))
    for (const device of ['x'.repeat(101), 'a\nb', '\u0000', 5, null, ['TV'], { $ne: '' }])
      assertRefused(t, await tv.send('POST', { content_id: 1, device }), 'device', JSON.stringify(device))
    for (const query of ['device=', `device=${'x'.repeat(101)}`, 'device=%00', 'device=a&device=b'])
      assertRefused(t, await app.inject({ method: 'DELETE', url: `/playing?${query}`, headers: tv.headers }), 'device', query)
    for (const [what, id] of notToBeAdded) assertError(t, await tv.play(id), 400, 404, 'The content was not found', what)
    for (const [country, content_id, isOpen] of countryCases) {
      const headers: Record<string, string> = country === undefined ? {} : { 'cf-ipcountry': country }
      const answer = await tv.send('POST', { content_id }, headers)
      if (isOpen) assertDone(t, answer, 200, `${content_id} in ${country}`)
      else assertError(t, answer, 400, 404, 'The content was not found', `${content_id} in ${country}`)
      t.equal((await streamsOf(app, user)).length, isOpen ? 1 : 0)
      await tv.stop()
    }
    assertDone(t, await tv.send('POST', { content_id: 1, device: '', streams: [], more: 1 }), 200, 'unknown fields are ignored')
    t.strictSame(
      (await streamsOf(app, user)).map(({ player }) => player),
      [{ sid: tv.sid }]
    )
  })

  t.test('lets children play what they may see', async t => {
    const { user } = await householdOf(app)
    const child = await deviceOf(app, user, 'Tablet', await profileOf(app, user, 6))
    assertDone(t, await child.play(1), 200)
    assertError(t, await child.play(2), 400, 404, 'The content was not found')
    assertDone(t, await child.stop(), 200)
  })

  t.test('needs a token', async t => {
    const { devices } = await householdOf(app, 'TV')
    await wantToken(t, app, devices[0].headers.authorization.slice('Bearer '.length), [
      ['POST', '/playing', '{"content_id":1}'],
      ['POST', '/playing'],
      ['DELETE', '/playing']
    ])
  })

  t.test('is stored until the user is erased, and not exported', async t => {
    const { user, devices } = await householdOf(app, 'TV')
    const [tv] = devices
    assertDone(t, await tv.play(), 200)
    t.notMatch((await app.inject({ url: '/me/export', headers: tv.headers })).body, /stream|playing/)
    assertDone(t, await app.inject({ method: 'DELETE', url: '/me', headers: tv.headers, payload: { password } }), 200)
    t.equal(await stored.findOne({ user_id: user._id }), null)
  })
})

t.test('without a limit everybody may play, and nothing is stored', async t => {
  const app = await buildWith(t, { contents })
  const { user, devices } = await householdOf(app, ...Array.from({ length: 20 }, (_, i) => `${i}`))
  for (const answer of await Promise.all(devices.map(device => device.play()))) assertDone(t, answer, 200)
  for (const answer of await Promise.all(devices.map(device => device.play(777))))
    assertError(t, answer, 400, 404, 'The content was not found', 'apps learn of their mistakes')
  for (const answer of await Promise.all(devices.map(device => device.stop()))) assertDone(t, answer, 200)
  t.strictSame(await streamsOf(app, user), [])
})

t.test('while the database is away, a heartbeat is a 503, but not without a limit', async t => {
  const mongod = await freezableMongod(t)
  const url = `${mongod.url}/playing`
  const app = await build(t, { url, settings: { MAX_STREAMS: '1', DATABASE_TIMEOUT: '1000' } })
  const unlimited = await build(t, { url })
  await change(app, 'contents', 1, film(1))
  await until(() => app.catalogue.skeleton.size === 1 && unlimited.catalogue.skeleton.size === 1)
  const { user, devices } = await householdOf(app, 'TV')
  const [tv] = devices
  assertDone(t, await tv.play(), 200)

  await freeze(mongod.pid)
  const began = performance.now()
  for (const answer of await Promise.all([tv.play(), tv.stop()])) {
    t.equal(answer.statusCode, 503)
    t.match(answer.headers['retry-after'], /^\d+$/)
  }
  t.ok(performance.now() - began < 3000)
  assertDone(t, await unlimited.inject({ method: 'POST', url: '/playing', headers: tv.headers, payload: { content_id: 1 } }), 200)

  process.kill(mongod.pid, 'SIGCONT')
  // The stop that was a 503 may arrive now, even after a heartbeat: the next one begins the stream again.
  await until(async () => (await tv.play()).statusCode === 200 && (await streamsOf(app, user)).length === 1)
})
