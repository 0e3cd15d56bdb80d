import t, { type Test } from 'tap'
import type { SessionDocument } from '../../src/identity/session-document.js'
import { sessionsPerUser } from '../../src/identity/session-ends.js'
import type { PlayingDocument } from '../../src/viewing/playing.js'
import { type Answer, assertRefused } from '../helpers/answers.js'
import { addUser, beginSession, build, buildWith, password, providerUser } from '../helpers/app.js'
import { change, databaseOf, seededUrl } from '../helpers/database.js'
import { type Device, deviceOf, householdOf, playersOf, profileOf } from '../helpers/devices.js'
import { film } from '../helpers/documents.js'
import { freezableMongod, freeze } from '../helpers/freeze.js'
import { issuer, providerSettings, providerToken } from '../helpers/provider.js'
import { until } from '../helpers/until.js'
import { assertDone, assertError, closed, countryCases, notInUs, notToBeAdded, swedish, wantToken } from './helper.js'

const contents = [film(1, { min_age: 0 }), film(2, { min_age: 12 }), ...Object.values(closed), swedish, notInUs]
const settings = { MAX_STREAMS: '2', COUNTRY_HEADER: 'cf-ipcountry' }

const assertFull = (t: Test, answer: Answer, names: string, devices: (string | null)[]) => {
  const message = `The account is already playing on ${names}`
  t.strictSame([answer.statusCode, answer.json()], [409, { success: false, code: 409, message, devices }])
  t.equal(answer.headers['cache-control'], 'no-store')
}
const statusesOf = (answers: Answer[]) => answers.map(({ statusCode }) => statusCode)

t.test('a limit of two', async t => {
  const app = await buildWith(t, { contents }, { settings })
  const stored = databaseOf(app).collection<PlayingDocument>('playing')

  t.test('refuses the third device, until another one stops', async t => {
    const { user, devices } = await householdOf(app, 'Living room TV', null, 'Phone')
    const [tv, tablet, phone] = devices
    assertDone(t, await tv.play(), 200)
    assertDone(t, await tablet.play(), 200)
    assertFull(t, await phone.play(), 'Living room TV and an unnamed device', ['Living room TV', null])
    assertDone(t, await tv.play(), 200, 'a device that plays may go on')
    assertDone(t, await tv.play(2), 200, 'also with another content')
    t.equal((await phone.play()).statusCode, 409)
    assertDone(t, await phone.stop(), 200, 'nothing is playing')
    t.equal((await phone.play()).statusCode, 409)
    assertDone(t, await tv.stop(), 200)
    assertDone(t, await phone.play(), 200)
    assertFull(t, await tv.play(), 'an unnamed device and Phone', [null, 'Phone'])
    t.equal((await playersOf(app, user)).length, 2)
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
    t.equal((await playersOf(app, theirs.user)).length, 2, 'streams of others do not stop')
    t.strictSame(await playersOf(app, mia), [])
  })

  t.test('forgets a device a minute after its last heartbeat, by the clock of the database', async t => {
    const { user, devices } = await householdOf(app, 'TV', 'Tablet', 'Phone')
    const [tv, tablet, phone] = devices
    await tv.play()
    await tablet.play()
    const until = { $subtract: ['$$this.until', '$$NOW'] }
    const lives = { $map: { input: '$devices', in: until } }
    const last = { $subtract: ['$expires_at', '$$NOW'] }
    const [left] = await stored.aggregate([{ $match: { account_id: user._id } }, { $project: { lives, last } }]).toArray()
    t.equal(left?.lives.length, 2)
    for (const life of [...(left?.lives ?? []), left?.last]) t.ok(life > 50_000 && life <= 60_000, `${life}`)
    const leave = (milliseconds: number) =>
      stored.updateOne({ account_id: user._id }, [
        { $set: { devices: { $map: { input: '$devices', in: { player: '$$this.player', until: { $add: ['$$NOW', milliseconds] } } } } } }
      ])
    await leave(10_000)
    t.equal((await phone.play()).statusCode, 409, 'but not before')
    await leave(0)
    assertDone(t, await phone.play(), 200)
    t.equal((await playersOf(app, user)).length, 1, 'the other streams are gone')
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
      t.equal((await playersOf(app, user)).length, playing.length)
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
      t.equal((await playersOf(app, user)).length, isOpen ? 1 : 0)
      await tv.stop()
    }
    assertDone(t, await tv.send('POST', { content_id: 1, device: '', streams: [], more: 1 }), 200, 'unknown fields are ignored')
    t.strictSame(
      (await playersOf(app, user)).map(({ player }) => player),
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
    t.equal(await stored.findOne({ account_id: user._id }), null)
  })
})

t.test('without a limit everybody may play, and nothing is stored', async t => {
  const app = await buildWith(t, { contents })
  const { user, devices } = await householdOf(app, ...Array.from({ length: 20 }, (_, i) => `${i}`))
  for (const answer of await Promise.all(devices.map(device => device.play()))) assertDone(t, answer, 200)
  for (const answer of await Promise.all(devices.map(device => device.play(777))))
    assertError(t, answer, 400, 404, 'The content was not found', 'apps learn of their mistakes')
  for (const answer of await Promise.all(devices.map(device => device.stop()))) assertDone(t, answer, 200)
  t.strictSame(await playersOf(app, user), [])
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
  await until(async () => (await tv.play()).statusCode === 200 && (await playersOf(app, user)).length === 1)
})

t.test('a session that ends gives its stream back', async t => {
  const app = await buildWith(t, { contents: [film(1)] }, { settings: { MAX_STREAMS: '1', REFRESH_GRACE: '0' } })
  const { sessions, users } = app.data
  type Household = Awaited<ReturnType<typeof householdOf<['TV', 'Phone']>>>

  const ways: Record<string, (tv: Device, household: Household) => Promise<unknown>> = {
    'by a logout': ({ headers }) => app.inject({ method: 'POST', url: '/logout', headers }),
    'by DELETE /sessions/{id}': ({ sid }, { devices: [, { headers }] }) =>
      app.inject({ method: 'DELETE', url: `/sessions/${sid}`, headers }),
    'by DELETE /sessions?others=true': (_, { devices: [, { headers }] }) =>
      app.inject({ method: 'DELETE', url: '/sessions?others=true', headers }),
    'by a changed password': (_, { devices: [, { headers }] }) =>
      app.inject({ method: 'PUT', url: '/me/password', headers, payload: { password, new_password: 'another one of these' } }),
    'by a refresh token that was used before': async ({ refresh_token }) => {
      const refresh = () => app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token } })
      await refresh()
      return refresh()
    },
    'by the login beyond the hundredth': async ({ sid }, { user }) => {
      const usedFirst = { $set: { expires_at: new Date(Date.now() + 60_000) } }
      await databaseOf(app).collection<SessionDocument>('sessions').updateOne({ _id: sid }, usedFirst)
      for (let i = 0; i < sessionsPerUser - 1; i++) await beginSession({ sessions }, user)
    },
    'when it expires': ({ sid }) =>
      databaseOf(app)
        .collection<SessionDocument>('sessions')
        .updateOne({ _id: sid }, { $set: { expires_at: new Date() } }),
    'when its document is gone': ({ sid }) => databaseOf(app).collection<SessionDocument>('sessions').deleteOne({ _id: sid })
  }
  for (const [way, end] of Object.entries(ways)) {
    t.test(way, async t => {
      const household = await householdOf(app, 'TV', 'Phone')
      const [tv, phone] = household.devices
      t.equal((await tv.play()).statusCode, 200)
      t.equal((await phone.play()).statusCode, 409)
      await end(tv, household)
      t.equal((await phone.play()).statusCode, 200)
      t.strictSame(
        (await playersOf(app, household.user)).map(({ player }) => player),
        [{ sid: phone.sid }]
      )
    })
  }

  t.test('when its profile is deleted', async t => {
    const { user, devices } = await householdOf(app, 'Phone')
    const [phone] = devices
    const mia = await profileOf(app, user)
    t.equal((await (await deviceOf(app, user, 'Tablet', mia)).play()).statusCode, 200)
    t.strictSame((await phone.play()).json().devices, ['Tablet'])
    await app.inject({ method: 'DELETE', url: `/profiles/${mia._id}`, headers: phone.headers })
    t.equal((await phone.play()).statusCode, 200)
  })

  t.test('when the user is disabled, who may come back', async t => {
    const { user, devices } = await householdOf(app, 'TV')
    const [tv] = devices
    t.equal((await tv.play()).statusCode, 200)
    await users.disable(user._id)
    await sessions.endAll(user._id)
    await users.enable(user._id)
    t.equal((await (await deviceOf(app, user, 'Phone')).play()).statusCode, 200)
  })

  t.test('even if a process that does not know yet has renewed it', async t => {
    const { user, devices } = await householdOf(app, 'TV', 'Phone')
    const [tv, phone] = devices
    await sessions.end(user._id, tv.sid)
    t.equal(await app.data.playing.start(user._id, { sid: tv.sid }, 1), undefined)
    t.equal((await phone.play()).statusCode, 200)
  })

  t.test('to no more devices than there is room for', async t => {
    const three = await build(t, { url: app.settings.MONGO_URL, settings: { MAX_STREAMS: '3' } })
    const { user, devices } = await householdOf(three, ...Array.from({ length: 20 }, (_, i) => `${i}`))
    for (let round = 0; round < 3; round++) {
      const ended = await Promise.all([1, 2, 3].map(() => deviceOf(three, user, 'TV')))
      for (const device of devices) await device.stop()
      for (const device of ended) t.equal((await device.play()).statusCode, 200)
      const [, ...answers] = await Promise.all([
        Promise.all(ended.map(({ sid }) => sessions.end(user._id, sid))),
        ...devices.map(device => device.play())
      ])
      const began = answers.filter(({ statusCode }) => statusCode === 200).length
      t.ok(began <= 3, `${began}`)
      for (const device of devices) await device.play()
      const living = devices.map(({ sid }) => sid)
      const holders = (await playersOf(three, user)).map(({ player }) => 'sid' in player && player.sid)
      t.equal(holders.length, 3)
      t.ok(holders.every(sid => sid && living.includes(sid)))
    }
  })
})

t.test('with an identity provider, a stream belongs to the device that a profile names', async t => {
  const url = await seededUrl(t, { contents: [film(1)] })
  const app = await build(t, { url, settings: { ...providerSettings, MAX_STREAMS: '2' } })
  const viewer = async (sub: string, profile?: number) => {
    const headers = {
      authorization: `Bearer ${await providerToken(sub)}`,
      ...(profile !== undefined && { 'viewer-profile': String(profile) })
    }
    return {
      play: (device?: string) =>
        app.inject({ method: 'POST', url: '/playing', headers, payload: { content_id: 1, ...(device !== undefined && { device }) } }),
      stop: (device?: string) =>
        app.inject({ method: 'DELETE', url: `/playing${device === undefined ? '' : `?device=${encodeURIComponent(device)}`}`, headers })
    }
  }

  t.test('and the refusal names those', async t => {
    const [ada, ben] = [await viewer('ada'), await viewer('ben')]
    for (const device of ['TV', 'Phone']) for (const who of [ada, ben]) assertDone(t, await who.play(device), 200)
    const message = 'The account is already playing on TV and Phone'
    const full = await ada.play('Tablet')
    t.strictSame([full.statusCode, full.json()], [409, { success: false, code: 409, message, devices: ['TV', 'Phone'] }])
    assertDone(t, await ada.play('TV'), 200, 'a device that plays may go on')
    assertDone(t, await ada.stop('Tablet'), 200)
    assertDone(t, await ada.stop(), 200)
    t.equal((await ada.play('Tablet')).statusCode, 409)
    assertDone(t, await ada.stop('TV'), 200)
    assertDone(t, await ada.play('Tablet'), 200)
    t.equal((await ben.play('Tablet')).statusCode, 409, 'streams of another user do not stop')
  })

  t.test('all profiles of a user share the limit', async t => {
    const account = await providerUser(app, issuer, 'eve')
    const mia = await app.data.profiles.add(account, { name: 'Mia' })
    const child = await app.data.profiles.add(account, { name: 'Tom', max_age: 6 })
    const [eve, asMia, asChild] = [await viewer('eve'), await viewer('eve', mia), await viewer('eve', child)]
    for (const who of [eve, asMia]) assertDone(t, await who.play('TV'), 200)
    t.strictSame((await eve.play('Phone')).json().devices, ['TV', 'TV'])
    assertDone(t, await asMia.stop('TV'), 200)
    t.strictSame((await asMia.play('Phone')).statusCode, 200)
    assertError(t, await asChild.play('Tablet'), 400, 404, 'The content was not found', 'a content without a known age')
    assertError(t, await (await viewer('ben', mia)).play('TV'), 403, 403, 'Forbidden', 'a profile of another user')
  })

  t.test('devices without a name are one', async t => {
    const cleo = await viewer('cleo')
    for (const device of [undefined, '', 'TV', undefined, '']) assertDone(t, await cleo.play(device), 200)
    t.strictSame((await cleo.play('Phone')).json().devices, ['TV', null])
    assertDone(t, await cleo.stop(), 200)
    assertDone(t, await cleo.play('Phone'), 200)
  })

  t.test('whatever its name is', async t => {
    const names = ['$devices', '$$NOW', '{"$ne":1}', '\ud800', '👩‍🚀'.repeat(20), 'O\'Hara, "the" TV & Söhne', 'x'.repeat(100), ' ']
    for (const [i, name] of names.entries()) {
      const who = await viewer(`dora ${i}`)
      for (const device of [name, name, 'another']) assertDone(t, await who.play(device), 200, name)
      t.equal((await who.play('a third')).statusCode, 409, name)
      t.strictSame((await who.play('a third')).json().devices, [name.toWellFormed(), 'another'])
      if (name.isWellFormed()) {
        assertDone(t, await who.stop(name), 200)
        assertDone(t, await who.play('a third'), 200, name)
      }
    }
  })
})
