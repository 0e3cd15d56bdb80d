import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Fetch } from '../../client/calls.js'
import type { ViewerError } from '../../client/index.js'
import { createPlaying } from '../../client/playing.js'
import { addUser, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { providerSettings, providerToken } from '../helpers/provider.js'
import { until } from '../helpers/until.js'
import { clientOf, errorOf, kindOf, serve } from './helper.js'

const settings = { MAX_STREAMS: '1' }
const interval = 40

t.test('devices of an account', async t => {
  const { app, baseUrl } = await serve(t, { settings })
  const streams = databaseOf(app).collection('streams')

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
      const playing = createPlaying(client, interval)
      t.teardown(playing.close)
      const sentToPlaying = () => sent.filter(({ path }) => path.endsWith('/playing')).map(({ path }) => path.split(' ')[0])
      return { client, sent: sentToPlaying, quick: playing.play }
    }
    type Device = Awaited<ReturnType<typeof deviceOf>>
    const devices = (await Promise.all(names.map(deviceOf))) as [Device, Device]
    return { devices, makeRoom: () => streams.updateOne({ user_id: _id }, { $set: { streams: [] } }) }
  }

  t.test('play one after the other', async t => {
    const [tv, phone] = (await household(t, ['TV', 'Phone'])).devices
    const playing = await tv.client.play(1)
    const error = await errorOf(phone.client.play(1))
    t.match(error, { kind: 'too-many-streams', status: 409, code: 409, advice: /Stop playing/ })
    t.strictSame(error.devices, ['TV'])
    t.equal(error.message, 'The account already plays on TV')
    await playing.stop()
    await playing.stop()
    t.strictSame(tv.sent(), ['POST', 'DELETE'])
    await phone.client.play(1)
    t.equal(await kindOf(tv.client.play(1)), 'too-many-streams')
  })

  t.test('hear at once what nobody may play', async t => {
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
    await sleep(4 * interval)
    t.equal(tv.sent().length, count)
  })

  t.test('play on when the next content replaces the last', async t => {
    const [tv, phone] = (await household(t, ['TV', 'Phone'])).devices
    const first = await tv.client.play(1)
    const replaced = tv.client.play(2)
    const last = tv.client.play(3)
    await first.stop()
    await (await replaced).stop()
    t.notOk(tv.sent().includes('DELETE'), 'what was replaced takes nothing away')
    t.equal(await kindOf(phone.client.play(1)), 'too-many-streams')
    await Promise.all([(await last).stop(), tv.client.play(1)])
    t.strictSame(tv.sent().slice(-2), ['DELETE', 'POST'], 'in the order of the calls')
    t.equal(await kindOf(phone.client.play(1)), 'too-many-streams')
  })

  t.test('play on without an answer, and without an end', async t => {
    const { devices, makeRoom } = await household(t, ['TV', 'Phone'], heartbeat => {
      if (heartbeat === 4) throw new TypeError('fetch failed')
      return heartbeat < 4 ? new Response('', { status: [429, 500, 503][heartbeat - 1] as number }) : undefined
    })
    const [tv, phone] = devices
    const refusals: ViewerError[] = []
    const playing = await tv.quick(1, { onRefused: error => refusals.push(error) })
    await until(() => tv.sent().length >= 6)
    t.strictSame(refusals, [])
    t.equal(await kindOf(phone.client.play(1)), 'too-many-streams', 'and are counted again')
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
    await sleep(4 * interval)
    t.equal(tv.sent().length, count, 'and send nothing any more')
  })

  t.test('hear nothing of a refusal that comes after the end', async t => {
    const refusal = { success: false, code: 409, message: 'Too many', devices: [] }
    let isRefused = false
    const { devices } = await household(t, ['TV'], () => (isRefused ? Response.json(refusal, { status: 409 }) : undefined))
    const [tv] = devices
    const playing = await tv.quick(1)
    isRefused = true
    await until(() => tv.sent().length >= 2)
    await playing.stop()
    await sleep(2 * interval)
    t.ok(tv.sent().length >= 2, 'nor need they listen')
    const [first, second] = await Promise.allSettled([tv.client.play(1), tv.client.play(2)])
    t.strictSame([first.status, second.status], ['fulfilled', 'rejected'], 'of those that were replaced')
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
