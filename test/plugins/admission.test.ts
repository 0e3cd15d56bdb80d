import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { forViewers } from '../../plugins/authentication.js'
import { build, signIn } from '../helpers/app.js'
import { until } from '../helpers/until.js'

t.test('beyond the requests that may wait, new ones are refused at once, and served again when there is room', async t => {
  let release = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const app = await build(t, {
    settings: { MAX_WAITING: '3' },
    extend: app => {
      app.get('/waits', { config: { admission: 'public' } }, async () => gate.then(() => 'waited'))
      app.get('/at-once', { config: { admission: 'public' } }, (_request, reply) => reply.send('at once'))
      app.get('/apart', { config: { admission: 'login' } }, async () => 'apart')
    }
  })
  const waiting = Array.from({ length: 3 }, () => app.inject('/waits'))
  await Promise.all(waiting.map(request => Promise.race([request, new Promise(setImmediate)])))

  for (const url of ['/waits', '/at-once', '/contents', '/schedule']) {
    const refused = await app.inject(url)
    t.equal(refused.statusCode, 503, url)
    t.match(refused.headers, { 'retry-after': /^\d+$/ })
    t.match(refused.json(), { success: false, code: 503 })
  }
  for (const url of ['/health', '/ready', '/apart']) t.equal((await app.inject(url)).statusCode, 200, url)

  release()
  for (const { statusCode, body } of await Promise.all(waiting)) t.strictSame([statusCode, body], [200, 'waited'])
  for (const url of ['/waits', '/at-once', '/contents']) t.equal((await app.inject(url)).statusCode, 200, url)
})

t.test('a caller who has taken all the room shuts nobody else out', async t => {
  let release = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const app = await build(t, {
    settings: { MAX_WAITING: '4', TRUST_PROXY: '1' },
    extend: app => {
      app.get('/waits', { config: { admission: 'public' } }, async () => gate.then(() => 'waited'))
      app.get('/waits-too', forViewers, async () => gate.then(() => 'waited'))
    }
  })
  const begun: Promise<number>[] = []
  /** The status of the answer, or 'waits' if there is none yet. */
  const ask = async (url: string, headers: Record<string, string>) => {
    let outcome: number | string = 'waits'
    const answer = app.inject({ url, headers }).then(({ statusCode }) => {
      outcome = statusCode
      return statusCode
    })
    begun.push(answer)
    for (let turns = 0; turns < 30; turns++) await new Promise(setImmediate)
    return outcome
  }
  const from = (address: string) => ({ 'x-forwarded-for': address })

  const one = await signIn(app)
  for (let n = 0; n < 4; n++) t.equal(await ask('/waits-too', one), 'waits')
  t.equal(await ask('/waits-too', one), 503, 'this account already uses all the room')
  const other = await signIn(app)
  for (const expected of ['waits', 'waits', 503]) t.equal(await ask('/waits-too', other), expected, 'another account still gets its share')
  t.equal(await ask('/waits', from('203.0.113.1')), 'waits', 'so does an address')
  t.equal(await ask('/waits', from('203.0.113.1')), 503)
  t.equal(await ask('/waits', from('203.0.113.2')), 'waits')
  t.equal(await ask('/waits', from('203.0.113.3')), 503, 'nobody is admitted beyond twice MAX_WAITING')

  release()
  const statuses = await Promise.all(begun)
  t.equal(statuses.filter(status => status === 200).length, 8)
})

t.test('changes of profiles are bounded and wait like other requests of viewers, and the hash of a PIN takes no connection', async t => {
  let release = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const app = await build(t, {
    settings: { MAX_WAITING: '2', DATABASE_CONNECTIONS: '1' },
    extend: app => void app.get('/waits', forViewers, async () => gate.then(() => 'waited'))
  })
  const headers = await signIn(app)
  const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
    app.inject({ method, url, headers, ...(payload && { payload }) })
  const { location } = (await send('POST', '/profiles', { name: 'Mia', pin: '4071' })).headers
  const url = String(location)

  const waiting = Promise.all([1, 2].map(() => app.inject({ url: '/waits', headers })))
  await Promise.race([waiting, new Promise(setImmediate)])
  const changes = [
    () => send('POST', '/profiles', { name: 'Tom' }),
    () => send('PUT', url, { name: 'Tom' }),
    () => send('PUT', url, { pin: '4072' }),
    () => send('DELETE', url)
  ]
  for (const change of changes) t.equal((await change()).statusCode, 503, `${change}`)
  const other = await signIn(app)
  const ended: string[] = []
  const queued = app
    .inject({ method: 'DELETE', url: '/profiles/404', headers: other })
    .then(({ statusCode }) => ended.push(`${statusCode}`))
  await sleep(200)
  t.strictSame(ended, [], 'another viewer waits for the only connection')
  release()
  await Promise.all([waiting, queued])

  const busy = Promise.all(Array.from({ length: 6 }, (_, n) => app.passwordChecks.hashPin(n, '4071', `192.0.2.${n}`)))
  const hashing = send('PUT', url, { pin: '4072' }).then(({ statusCode }) => ended.push(`changed ${statusCode}`))
  await new Promise(setImmediate)
  await app.inject({ url: '/history', headers: other }).then(({ statusCode }) => ended.push(`read ${statusCode}`))
  await Promise.all([busy, hashing])
  t.strictSame(ended, ['404', 'read 200', 'changed 200'])
})

t.test('0 sets no bound', async t => {
  let release = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const app = await build(t, {
    settings: { MAX_WAITING: '0' },
    extend: app => void app.get('/waits', { config: { admission: 'public' } }, async () => gate.then(() => 'waited'))
  })
  const waiting = Array.from({ length: 300 }, () => app.inject('/waits'))
  await Promise.all(waiting.map(request => Promise.race([request, new Promise(setImmediate)])))
  t.equal((await app.inject('/contents')).statusCode, 200)
  release()
  t.ok((await Promise.all(waiting)).every(({ statusCode }) => statusCode === 200))
})

t.test('requests of viewers take turns', async t => {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const app = await build(t, {
    settings: { DATABASE_CONNECTIONS: '8', DATABASE_TIMEOUT: '500' },
    extend: app => {
      app.get('/slow/:name', forViewers, ({ params }) => {
        const { name } = params as { name: string }
        begun.push(name)
        if (name === 'broken') throw new Error('before it promised anything')
        return new Promise(resolve => ends.set(name, () => resolve(name)))
      })
      app.get('/open', { config: { admission: 'public' } }, async () => 'open')
    }
  })
  const headers = await signIn(app)
  const ask = (name: string) => {
    const answer = app.inject({ url: `/slow/${name}`, headers })
    // `inject` sends the request only once it is awaited.
    void answer.then(() => undefined)
    return answer
  }
  const isBegun = (name: string) => until(() => begun.includes(name))

  t.test('as many at once as a quarter of the connections, the others in their order', async t => {
    const answers = ['a', 'broken', 'b', 'c', 'd'].map(ask)
    await isBegun('b')
    t.equal((await app.inject('/open')).body, 'open', 'others do not wait for it')
    t.strictSame(begun, ['a', 'broken', 'b'])
    ends.get('b')?.()
    await isBegun('c')
    t.strictSame(begun, ['a', 'broken', 'b', 'c'])
    for (const name of ['a', 'c', 'd']) {
      await isBegun(name)
      ends.get(name)?.()
    }
    const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
    t.strictSame(statuses, [200, 500, 200, 200, 200])
  })

  t.test('and one that nobody waits for any more is never begun', async t => {
    begun.length = 0
    const answers = ['one', 'two', 'late'].map(ask)
    for (const answer of answers) t.equal((await answer).statusCode, 503)
    ends.get('one')?.()
    ends.get('two')?.()
    const next = ask('next')
    await isBegun('next')
    ends.get('next')?.()
    t.equal((await next).statusCode, 200)
    t.strictSame(begun, ['one', 'two', 'next'])
  })
})

t.test('a crowd whose time is over by its turn is passed by, however many they are', async t => {
  let release = () => {}
  const app = await build(t, {
    settings: {
      MAX_WAITING: '0',
      DATABASE_CONNECTIONS: '1',
      DATABASE_TIMEOUT: '500',
      RATE_LIMIT: '1000000',
      RATE_LIMIT_ADDRESS: '1000000'
    },
    extend: app => {
      const gate = new Promise<void>(resolve => {
        release = resolve
      })
      app.get('/slow', forViewers, async () => gate.then(() => 'done'))
    }
  })
  const headers = await signIn(app)
  const ask = () => app.inject({ url: '/slow', headers })
  const crowd = await Promise.all(Array.from({ length: 12_000 }, ask))
  t.ok(crowd.every(({ statusCode }) => statusCode === 503))
  release()
  t.equal((await ask()).body, 'done')
})

t.test('a HEAD takes one turn, like its GET', async t => {
  const app = await build(t, { settings: { DATABASE_CONNECTIONS: '1', DATABASE_TIMEOUT: '2000' } })
  const headers = await signIn(app)
  t.equal((await app.inject({ method: 'HEAD', url: '/history', headers })).statusCode, 200)
})

t.test('a route that does not say how it is admitted stops the start', async t => {
  await t.rejects(build(t, { extend: app => void app.get('/forgotten', async () => 'never') }), /GET \/forgotten has no admission class/)
})

t.test('an account with many requests delays another one by one of them at most', async t => {
  const begun: string[] = []
  const app = await build(t, {
    settings: { DATABASE_CONNECTIONS: '1' },
    extend: app =>
      void app.get('/slow/:name', forViewers, async ({ params }) => {
        const { name } = params as { name: string }
        begun.push(name)
        await new Promise(setImmediate)
        return name
      })
  })
  const [many, one] = [await signIn(app), await signIn(app)]
  const ask = (name: string, headers: Record<string, string>) => app.inject({ url: `/slow/${name}`, headers })
  const asked = ['many-1', 'many-2', 'many-3', 'many-4'].map(name => ask(name, many))
  while (begun.length === 0) await new Promise(setImmediate)
  for (const { statusCode } of await Promise.all([...asked, ask('one', one)])) t.equal(statusCode, 200)
  t.ok(begun.indexOf('one') <= 2, `${begun}`)
})
