import { PassThrough } from 'node:stream'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { forViewers } from '../../plugins/authentication.js'
import { type Answer, assertFailure, malformed, post } from '../helpers/answers.js'
import { type App, addUser, build, signIn } from '../helpers/app.js'
import { closedGate, until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'

t.test('admission', async t => {
  t.test('beyond the requests that may be in progress, new ones are refused at once, and served again when there is room', async t => {
    const { opened, open } = closedGate()
    const app = await build(t, {
      settings: { MAX_IN_PROGRESS: '3' },
      extend: app => {
        app.get('/waits', { config: { admission: 'public' } }, async () => opened.then(() => 'waited'))
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

    open()
    for (const { statusCode, body } of await Promise.all(waiting)) t.strictSame([statusCode, body], [200, 'waited'])
    for (const url of ['/waits', '/at-once', '/contents']) t.equal((await app.inject(url)).statusCode, 200, url)
  })

  t.test('a request whose body arrives when there is no more room is refused', async t => {
    const { opened, open } = closedGate()
    const app = await build(t, {
      settings: { MAX_IN_PROGRESS: '1' },
      extend: app => {
        const options = { config: { admission: 'public' }, handler: async () => opened.then(() => 'waited') } as const
        app.route({ method: ['GET', 'POST'], url: '/waits', ...options })
      }
    })
    const body = new PassThrough()
    const slow = app.inject({ method: 'POST', url: '/waits', payload: body })
    const begun = app.inject('/waits')
    void Promise.all([slow, begun])
    await until(async () => /^http_requests_in_progress 1$/m.test(await app.metricsText()))
    body.end('{}')
    // Without a refusal, it would wait for the gate.
    void sleep(1000, undefined, { ref: false }).then(open)
    t.equal((await slow).statusCode, 503)
    open()
    t.equal((await begun).statusCode, 200)
  })

  t.test('a caller who has taken all the room shuts nobody else out', async t => {
    const { opened, open } = closedGate()
    const app = await build(t, {
      settings: { MAX_IN_PROGRESS: '4', TRUST_PROXY: '1' },
      extend: app => {
        app.get('/waits', { config: { admission: 'public' } }, async () => opened.then(() => 'waited'))
        app.get('/waits-too', forViewers, async () => opened.then(() => 'waited'))
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
    for (const expected of ['waits', 'waits', 503])
      t.equal(await ask('/waits-too', other), expected, 'another account still gets its share')
    t.equal(await ask('/waits', from('203.0.113.1')), 'waits', 'so does an address')
    t.equal(await ask('/waits', from('203.0.113.1')), 503)
    t.equal(await ask('/waits', from('203.0.113.2')), 'waits')
    t.equal(await ask('/waits', from('203.0.113.3')), 503, 'nobody is admitted beyond twice MAX_IN_PROGRESS')

    open()
    const statuses = await Promise.all(begun)
    t.equal(statuses.filter(status => status === 200).length, 8)
  })

  t.test('changes of profiles are bounded and wait like other requests of viewers, and the hash of a PIN takes no connection', async t => {
    const { opened, open } = closedGate()
    const app = await build(t, {
      settings: { MAX_IN_PROGRESS: '2', DATABASE_CONNECTIONS: '1' },
      extend: app => void app.get('/waits', forViewers, async () => opened.then(() => 'waited'))
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
    open()
    await Promise.all([waiting, queued])

    const busy = Promise.all(Array.from({ length: 6 }, (_, n) => app.passwordChecks.hashPin(n, '4071', `192.0.2.${n}`)))
    const hashing = send('PUT', url, { pin: '4072' }).then(({ statusCode }) => ended.push(`changed ${statusCode}`))
    await new Promise(setImmediate)
    await app.inject({ url: '/history', headers: other }).then(({ statusCode }) => ended.push(`read ${statusCode}`))
    await Promise.all([busy, hashing])
    t.strictSame(ended, ['404', 'read 200', 'changed 200'])
  })

  t.test('0 sets no bound', async t => {
    const { opened, open } = closedGate()
    const app = await build(t, {
      settings: { MAX_IN_PROGRESS: '0' },
      extend: app => void app.get('/waits', { config: { admission: 'public' } }, async () => opened.then(() => 'waited'))
    })
    const waiting = Array.from({ length: 300 }, () => app.inject('/waits'))
    await Promise.all(waiting.map(request => Promise.race([request, new Promise(setImmediate)])))
    t.equal((await app.inject('/contents')).statusCode, 200)
    open()
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
      t.match(await app.metricsText(), /^http_requests_in_progress 2$/m, 'those that have begun count until they end')
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
    const { opened, open } = closedGate()
    const app = await build(t, {
      settings: {
        MAX_IN_PROGRESS: '0',
        DATABASE_CONNECTIONS: '1',
        DATABASE_TIMEOUT: '500',
        RATE_LIMIT: '1000000',
        RATE_LIMIT_ADDRESS: '1000000'
      },
      extend: app => void app.get('/slow', forViewers, async () => opened.then(() => 'done'))
    })
    const headers = await signIn(app)
    const ask = () => app.inject({ url: '/slow', headers })
    const crowd = await Promise.all(Array.from({ length: 12_000 }, ask))
    t.ok(crowd.every(({ statusCode }) => statusCode === 503))
    open()
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
})

t.test('the limit on the delay of the event loop', async t => {
  t.test('a delay of the event loop during the start refuses nobody', async t => {
    const app = await build(t, { settings: { MAX_EVENT_LOOP_DELAY: '50' } })
    const hold = performance.now() + 1500
    while (performance.now() < hold);
    const statuses = new Set<number>()
    for (const until = performance.now() + 100; performance.now() < until; await turn())
      statuses.add((await app.inject('/terms')).statusCode)
    t.strictSame([...statuses], [200])
  })

  t.test('while the event loop is delayed, only /health and /ready are answered', async t => {
    const app = await build(t, { settings: { MAX_EVENT_LOOP_DELAY: '50' } })
    const hold = (milliseconds: number) => {
      const until = performance.now() + milliseconds
      while (performance.now() < until);
    }
    const ends = performance.now() + 10_000
    const comesTo = async (status: number, between: () => void) => {
      for (;;) {
        const response = await app.inject('/terms')
        if (response.statusCode === status || performance.now() > ends) return response
        between()
        await turn()
      }
    }
    const refused = await comesTo(503, () => hold(100))
    t.strictSame([refused.statusCode, refused.json().code], [503, 503])
    t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
    for (const url of ['/health', '/ready']) t.equal((await app.inject(url)).statusCode, 200, url)
    t.equal((await comesTo(200, () => undefined)).statusCode, 200, 'requests are served again afterwards')
  })
})

t.test('rate limits', async t => {
  t.test('rate limits', async t => {
    const assertTooMany = (t: Test, response: Answer, what: string) => {
      assertFailure(t, response, 429, what)
      t.match(response.headers['retry-after'], /^([1-9]|[1-5]\d|60)$/, what)
    }
    const get = (app: App, url: string, headers = {}, remoteAddress = '127.0.0.1') => app.inject({ url, headers, remoteAddress })

    t.test('RATE_LIMIT counts by user, at whichever address', async t => {
      const app = await build(t, { settings: { RATE_LIMIT: '3' } })
      const [user, other] = [await addUser(app), await addUser(app)]
      const logOut = async (who: { _id: number }, address: string) =>
        app.inject({ method: 'POST', url: '/logout', headers: await signIn(app, who), remoteAddress: address })
      for (let i = 1; i <= 3; i++) t.equal((await logOut(user, `192.0.2.${i}`)).statusCode, 200)
      assertTooMany(t, await logOut(user, '192.0.2.4'), 'with another token and another address')
      assertTooMany(t, await get(app, '/openapi.json', await signIn(app, user)), 'where no token is required')
      t.equal((await logOut(other, '192.0.2.1')).statusCode, 200, 'another user is not limited')
      const child = { _id: Number(await app.data.profiles.add(other._id, { name: 'Child' })) }
      const statuses: number[] = []
      for (const who of [child, other, child, other]) statuses.push((await get(app, '/contents', await signIn(app, who))).statusCode)
      t.strictSame(statuses, [200, 200, 429, 429], 'all profiles of an account count together')
      for (let i = 0; i < 6; i++)
        t.equal((await get(app, '/openapi.json')).statusCode, 200, 'requests without a token are counted separately')
      for (const url of ['/health', '/ready']) t.equal((await get(app, url, await signIn(app, user))).statusCode, 200, url)
    })

    t.test('RATE_LIMIT_ADDRESS counts by address', async t => {
      const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '6' } })
      const signedIn = await signIn(app)
      const forged = { authorization: 'Bearer nonsense' }
      const counted = [
        await get(app, '/nothing'),
        await get(app, '/login'),
        await get(app, '/openapi.json'),
        await get(app, '/login', forged),
        await post(app, '/logout', '', forged),
        await post(app, '/login', malformed)
      ]
      t.strictSame(
        counted.map(({ statusCode }) => statusCode),
        [404, 405, 200, 405, 401, 400]
      )
      assertTooMany(t, await get(app, '/openapi.json'), 'a known path')
      assertTooMany(t, await get(app, '/nothing'), 'an unknown path')
      assertTooMany(t, await get(app, '/nothing', forged), 'an invalid token')
      assertTooMany(t, await get(app, '/login'), 'a wrong method')
      assertTooMany(t, await get(app, '/%'), 'malformed percent-encoding')
      assertTooMany(t, await post(app, '/login', malformed), 'a malformed body')
      assertTooMany(
        t,
        await app.inject({ url: '/openapi.json', headers: { 'x-forwarded-for': '198.51.100.1' } }),
        'a forwarded address from an untrusted proxy'
      )
      t.equal((await get(app, '/openapi.json', {}, '192.0.2.9')).statusCode, 200, 'another address is not limited')
      t.equal((await get(app, '/openapi.json', signedIn)).statusCode, 200, 'a user at that address is not limited')
      for (let i = 0; i < 10; i++) for (const url of ['/health', '/ready']) t.equal((await get(app, url)).statusCode, 200, url)
    })

    t.test('/health and /ready use nothing up', async t => {
      const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '2' } })
      for (let i = 0; i < 5; i++) for (const url of ['/health', '/ready']) await get(app, url)
      t.strictSame(
        [(await get(app, '/nothing')).statusCode, (await get(app, '/nothing')).statusCode, (await get(app, '/nothing')).statusCode],
        [404, 404, 429]
      )
    })

    t.test('count forwarded addresses behind a trusted proxy', async t => {
      for (const TRUST_PROXY of ['1', '127.0.0.0/8', '10.0.0.0/8, 127.0.0.1']) {
        const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '1', TRUST_PROXY } })
        const from = async (forwarded: string, address?: string) =>
          (await get(app, '/nothing', { 'x-forwarded-for': forwarded }, address)).statusCode
        t.equal(await from('198.51.100.1'), 404)
        t.equal(await from('198.51.100.1'), 429)
        t.equal(await from('198.51.100.2'), 404)
        t.equal(await from('203.0.113.5, 198.51.100.1'), 429, 'the part of the header that the caller wrote is ignored')
        if (TRUST_PROXY === '1') continue
        t.equal(await from('198.51.100.3', '203.0.113.9'), 404)
        t.equal(await from('198.51.100.4', '203.0.113.9'), 429, 'an address outside the networks is not a proxy')
      }
    })

    t.test('count the hop that TRUST_PROXY says', async t => {
      const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '1', TRUST_PROXY: '2' } })
      const from = async (forwarded: string) => (await get(app, '/nothing', { 'x-forwarded-for': forwarded })).statusCode
      t.equal(await from('203.0.113.1, 198.51.100.1, 10.0.0.1'), 404)
      t.equal(await from('203.0.113.2, 198.51.100.1, 10.0.0.2'), 429)
      t.equal(await from('203.0.113.2, 198.51.100.2, 10.0.0.2'), 404)
    })

    t.test('0 turns them off', async t => {
      const app = await build(t, { settings: { RATE_LIMIT: '0', RATE_LIMIT_ADDRESS: '0' } })
      const answers = await Promise.all(Array.from({ length: 700 }, () => get(app, '/nothing')))
      t.ok(answers.every(({ statusCode }) => statusCode === 404))
      t.notOk(Object.keys(answers[0]?.headers ?? {}).some(name => name.startsWith('x-ratelimit')))
    })
  })
})

/** An app that notes in which order answers are sent, each of which takes `cost` milliseconds. `n` is a number or `viewer`. */
const noting = async (test: Test, cost = 0) => {
  const order: string[] = []
  const app = await build(test, {
    extend: app =>
      void app.get(
        '/asked/:n',
        {
          config: { admission: 'public' },
          schema: { params: { type: 'object', properties: { n: { type: 'string', pattern: '^(viewer|[0-9]+)$' } } } },
          preValidation: async ({ params }, reply) => {
            const { n } = params as { n: string }
            reply.raw.once('finish', () => {
              const end = performance.now() + cost
              while (performance.now() < end);
              order.push(`sent ${n}`)
            })
          }
        },
        ({ params }) => params
      )
  })
  return { app, order }
}

const sentIn = (order: string[]) => order.filter(event => event.startsWith('sent') && event !== 'sent viewer')

t.test('a viewer who asks while a crowd gets its answers does not wait for all of them', async t => {
  const { app, order } = await noting(t, 1)
  const viewer = await viewerOf(app)
  const crowd = 100
  const answers = Array.from({ length: crowd }, (_, n) => app.inject(`/asked/${n}`))
  while (sentIn(order).length === 0) await turn()
  await viewer.get('/asked/viewer')
  t.ok(sentIn(order).length < crowd / 2, `${sentIn(order).length} before the viewer`)
  await Promise.all(answers)
  t.strictSame(
    sentIn(order),
    [...answers.keys()].map(n => `sent ${n}`),
    'in order'
  )
})

t.test('nor for the refusals of a crowd', async t => {
  const { app, order } = await noting(t, 1)
  const viewer = await viewerOf(app)
  const crowd = 100
  const answers = Array.from({ length: crowd }, () => app.inject('/asked/nobody'))
  while (sentIn(order).length === 0) await turn()
  await viewer.get('/asked/0')
  t.ok(sentIn(order).length < crowd / 2)
  for (const { statusCode } of await Promise.all(answers)) t.equal(statusCode, 400)
})

t.test('too large a crowd is answered at once, because what waits takes memory', async t => {
  const { app, order } = await noting(t, 0.1)
  const answers = Array.from({ length: 1200 }, (_, n) => app.inject(`/asked/${n}`))
  while (order.length === 0) await turn()
  const sent = order.length
  t.ok(sent >= 200 && sent < 1200, `${sent} in the first turn`)
  await Promise.all(answers)
})
