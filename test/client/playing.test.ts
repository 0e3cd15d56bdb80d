import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Fetch } from '../../client/calls.js'
import type { ViewerError } from '../../client/index.js'
import { createPlaying } from '../../client/playing.js'
import { addUser, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { providerSettings, providerToken } from '../helpers/provider.js'
import { until } from '../helpers/until.js'
import { clientOf, errorOf, gateTo, kindOf, newViewer, quickInterval, serve, withQuickHeartbeats } from './helper.js'

const settings = { MAX_STREAMS: '1' }

t.test('devices of an account', async t => {
  const { app, baseUrl } = await serve(t, { settings })
  const playing = databaseOf(app).collection('playing')

  /** Devices that are signed in to a new account. Tests may answer for the service. */
  const household = async (
    t: Test,
    names: (string | undefined)[],
    answer: (heartbeat: number) => Response | undefined = () => undefined
  ) => {
    const { email, _id } = await addUser(app)
    let heartbeats = 0
    const fetch: Fetch = async (request, init) => {
      const instead = request.url.endsWith('/playing') && request.method === 'POST' ? answer(++heartbeats) : undefined
      return instead ?? globalThis.fetch(request, init)
    }
    const deviceOf = async (device: string | undefined) => {
      const { client, sent } = clientOf(t, baseUrl, { fetch })
      await client.signIn(email as string, password, device === undefined ? {} : { device })
      const playing = createPlaying(client, quickInterval)
      t.teardown(playing.close)
      const sentToPlaying = () => sent.filter(({ path }) => path.endsWith('/playing')).map(({ path }) => path.split(' ')[0])
      return { client, sent: sentToPlaying, quick: playing.play }
    }
    type Device = Awaited<ReturnType<typeof deviceOf>>
    const devices = (await Promise.all(names.map(deviceOf))) as [Device, Device]
    return { devices, makeRoom: () => playing.updateOne({ account_id: _id }, { $set: { devices: [] } }) }
  }

  t.test('play one after the other', async t => {
    const [tv, phone] = (await household(t, ['TV', 'Phone'])).devices
    const playing = await tv.client.play(1)
    const error = await errorOf(phone.client.play(1))
    t.match(error, { kind: 'too-many-streams', status: 409, code: 409, advice: /Stop playing/ })
    t.strictSame(error.devices, ['TV'])
    t.equal(error.message, 'The account is already playing on TV')
    await playing.stop()
    await playing.stop()
    t.strictSame(tv.sent(), ['POST', 'DELETE'])
    await phone.client.play(1)
    t.equal(await kindOf(tv.client.play(1)), 'too-many-streams')
  })

  t.test('learn at once that a content cannot be played', async t => {
    const [tv] = (await household(t, ['TV'])).devices
    const error = await errorOf(tv.client.play(99))
    t.match(error, { kind: 'refused', status: 400, code: 404 })
    t.strictSame(error.devices, [])
    t.equal(await kindOf(clientOf(t, baseUrl).client.play(1)), 'signed-out')
  })

  t.test('send heartbeats until they stop', async t => {
    const [tv] = (await household(t, ['TV'])).devices
    const playing = await tv.quick(1)
    await until(() => tv.sent().length >= 4)
    await playing.stop()
    const count = tv.sent().length
    t.equal(tv.sent().at(-1), 'DELETE')
    await sleep(4 * quickInterval)
    t.equal(tv.sent().length, count)
  })

  t.test('play on when the next content replaces the last', async t => {
    const [tv, phone] = (await household(t, ['TV', 'Phone'])).devices
    const first = await tv.client.play(1)
    const replaced = tv.client.play(2)
    const last = tv.client.play(3)
    await first.stop()
    await (await replaced).stop()
    t.notOk(tv.sent().includes('DELETE'), 'a replaced stream does not stop the new one')
    t.equal(await kindOf(phone.client.play(1)), 'too-many-streams')
    await Promise.all([(await last).stop(), tv.client.play(1)])
    t.strictSame(tv.sent().slice(-2), ['DELETE', 'POST'], 'the requests keep the order of the calls')
    t.equal(await kindOf(phone.client.play(1)), 'too-many-streams')
  })

  t.test('play on if heartbeats are not answered, and stop even if that is not answered', async t => {
    const { devices, makeRoom } = await household(t, ['TV', 'Phone'], heartbeat => {
      if (heartbeat === 5) throw new TypeError('fetch failed')
      return heartbeat < 5 ? new Response('', { status: [408, 429, 500, 503][heartbeat - 1] as number }) : undefined
    })
    const [tv, phone] = devices
    const refusals: ViewerError[] = []
    const playing = await tv.quick(1, { onRefused: error => refusals.push(error) })
    await until(() => tv.sent().length >= 7)
    t.strictSame(refusals, [])
    t.equal(await kindOf(phone.client.play(1)), 'too-many-streams', 'both streams count again')
    await playing.stop()

    const away = createPlaying({ post: tv.client.post, delete: () => Promise.reject(new Error('away')) })
    await (await away.play(1)).stop()
    await makeRoom()
  })

  t.test('stop when others have taken their place', async t => {
    const { devices, makeRoom } = await household(t, ['TV', undefined])
    const [tv, phone] = devices
    const refusal = new Promise<ViewerError>(resolve => void tv.quick(1, { onRefused: resolve }))
    await until(() => tv.sent().length >= 1)
    await until(async () => {
      await makeRoom()
      return phone.client.play(1).then(
        () => true,
        () => false
      )
    })
    const { kind, devices: others } = await refusal
    t.strictSame([kind, others], ['too-many-streams', [null]])
    const count = tv.sent().length
    await sleep(4 * quickInterval)
    t.equal(tv.sent().length, count, 'nothing is sent any more')
  })

  t.test('are not told about a refusal that comes after the end', async t => {
    const refusal = { success: false, code: 409, message: 'Too many', devices: [] }
    let isRefused = false
    const { devices } = await household(t, ['TV'], () => (isRefused ? Response.json(refusal, { status: 409 }) : undefined))
    const [tv] = devices
    const playing = await tv.quick(1)
    isRefused = true
    await until(() => tv.sent().length >= 2)
    await playing.stop()
    await sleep(2 * quickInterval)
    t.ok(tv.sent().length >= 2, 'onRefused is optional')
    const [first, second] = await Promise.allSettled([tv.client.play(1), tv.client.play(2)])
    t.strictSame([first.status, second.status], ['fulfilled', 'rejected'], 'a replaced call is rejected')
  })
})

t.test('with an identity provider, the app names the device', async t => {
  const { baseUrl } = await serve(t, { settings: { ...settings, ...providerSettings } })
  const { client } = clientOf(t, baseUrl, { token: () => providerToken('ada') })
  const playing = await client.play(1, { device: 'TV & more' })
  t.strictSame((await errorOf(client.post('/playing', { body: { content_id: 1, device: 'Phone' } }))).devices, ['TV & more'])
  await playing.stop()
  await client.play(1, { device: 'Phone' })
})

t.test('heartbeats end with the session that they belong to', async t => {
  withQuickHeartbeats(t)
  const { app, baseUrl } = await serve(t, { settings })
  const { open, gated } = gateTo('/logout', { answers: true })
  const ends: ViewerError[] = []
  const { client, count } = clientOf(t, baseUrl, { fetch: gated, onSessionEnd: error => ends.push(error) })
  const play = async () => {
    await client.play(1)
    const before = count('POST /playing')
    await until(() => count('POST /playing') > before)
  }
  const isSilent = async () => {
    const before = count('POST /playing')
    await sleep(4 * quickInterval)
    return count('POST /playing') === before
  }

  await newViewer(app, client)
  await play()
  const { id } = await newViewer(app, client)
  t.ok(await isSilent(), 'another sign-in ends the heartbeats')
  await play()
  const leaving = client.signOut()
  await until(async () => (await app.data.sessions.list(id)).length === 0)
  t.ok(await isSilent(), 'a sign-out ends the heartbeats')
  open()
  await leaving
  t.strictSame(ends, [], 'an intended sign-out is not reported as an ended session')

  const { email } = await addUser(app)
  await client.signIn(email as string, password)
  await play()
  await client.eraseMe(password)
  t.ok(await isSilent(), 'a removed user ends the heartbeats')
})

t.test('with an identity provider, heartbeats end before another profile is chosen', async t => {
  withQuickHeartbeats(t)
  const { baseUrl } = await serve(t, { settings: { ...settings, ...providerSettings } })
  const { open, gated } = gateTo('/me')
  const fetch: Fetch = (request, init) => (request.headers.has('viewer-profile') ? gated : globalThis.fetch)(request, init)
  const { client, count } = clientOf(t, baseUrl, { fetch, token: () => providerToken('bea') })
  const id = await client.addProfile({ name: 'Second' })
  await client.play(1)
  await until(() => count('POST /playing') > 1)
  const switching = client.useProfile(id)
  await until(() => count('GET /me') === 2)
  const before = count('POST /playing')
  await sleep(4 * quickInterval)
  open()
  await switching
  t.equal(count('POST /playing'), before)
})
