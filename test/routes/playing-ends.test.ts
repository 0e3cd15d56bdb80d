import t from 'tap'
import type { SessionDocument } from '../../src/data/session-document.js'
import { sessionsPerUser } from '../../src/data/session-ends.js'
import { build, buildWith, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { type Device, deviceOf, householdOf, profileOf, streamsOf } from '../helpers/devices.js'
import { film } from '../helpers/documents.js'

const seed = { contents: [film(1)] }

t.test('a session that ends gives its stream back', async t => {
  const app = await buildWith(t, seed, { settings: { MAX_STREAMS: '1', REFRESH_GRACE: '0' } })
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
      for (let i = 0; i < sessionsPerUser - 1; i++) await sessions.begin(user)
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
        (await streamsOf(app, household.user)).map(({ player }) => player),
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
    t.equal(await app.data.streams.play(user._id, { sid: tv.sid }, 1), undefined)
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
      const holders = (await streamsOf(three, user)).map(({ player }) => 'sid' in player && player.sid)
      t.equal(holders.length, 3)
      t.ok(holders.every(sid => sid && living.includes(sid)))
    }
  })
})
