import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Fetch } from '../../client/calls.js'
import { addUser, password } from '../helpers/app.js'
import { closedGate, until } from '../helpers/until.js'
import {
  asBrowser,
  change,
  clientOf,
  createStore,
  errorOf,
  gateTo,
  historyOf,
  kept,
  newViewer,
  secondsAgo,
  serve,
  signedIn
} from './helper.js'

t.test('reports', async t => {
  const minute = 60_000

  /** One service for all tests that do not stop it. */
  const { app, baseUrl } = await serve(t)

  t.test('a report is sent at once, by the clock of the service', async t => {
    const { client, sent } = clientOf(t, baseUrl)
    t.match(await client.report({ content_id: 1 }), { state: 'refused', error: { kind: 'signed-out' } })
    await newViewer(app, client)

    t.strictSame(await client.report({ content_id: 1, time: 30, percentage: 5 }), { state: 'sent' })
    t.strictSame(sent.at(-1), { path: 'POST /history', body: { content_id: 1, time: 30, percentage: 5 } })
    t.match(await historyOf(client), [{ content_id: 1, time: 30, percentage: 5 }])
    t.equal(await client.unsent(), 0)

    const { state, error } = await client.report({ content_id: 99, time: 1 })
    t.equal(state, 'refused', 'a report of an unknown content is never sent again')
    t.match(error, { kind: 'refused', status: 400, code: 404 })
    t.equal(await client.unsent(), 0)
  })

  t.test('a report that cannot be sent is kept, and sent when the service is back', async t => {
    const { app, baseUrl, again } = await serve(t)
    const store = createStore()
    const { client, sent, count } = clientOf(t, baseUrl, { store })
    await newViewer(app, client)
    await client.get('/history')
    await app.close()

    t.match(await client.report({ content_id: 1, time: 10 }), { state: 'kept', error: { kind: 'no-answer' } })
    await client.report({ content_id: 2, time: 20 })
    await client.report({ content_id: 1, percentage: 50 })
    await client.report({ content_id: 1, time: 12 })
    t.equal(await client.unsent(), 4)
    t.equal(count('POST /history'), 1, 'nothing is sent during the wait')
    await sleep(2100)
    await again()
    await client.sendUnsent()
    t.equal(await client.unsent(), 0)

    const late = (content_id: number, given: object) => ({ content_id, ...given, observed_at: /Z$/ })
    t.match(sent.at(-1), {
      path: 'POST /history/batch',
      body: { reports: [late(1, { time: 10 }), late(2, { time: 20 }), late(1, { percentage: 50 }), late(1, { time: 12 })] }
    })
    const elements = await historyOf(client)
    t.match(elements, [
      { content_id: 1, time: 12, percentage: 50 },
      { content_id: 2, time: 20, percentage: 0 }
    ])
    for (const { updated_at } of elements) t.ok(secondsAgo(updated_at) > 2, 'the service stores the time of the observation')
  })

  t.test('what a proxy refuses is kept', async t => {
    let isThere = true
    const proxied: Fetch = async (request, init) =>
      isThere && request.method === 'POST' && request.url.endsWith('/history')
        ? new Response('<h1>Forbidden</h1>', { status: 403 })
        : fetch(request, init)
    const { client } = clientOf(t, baseUrl, { fetch: proxied })
    await newViewer(app, client)
    t.match(await client.report({ content_id: 1, time: 10 }), { state: 'kept', error: { kind: 'no-answer' } })
    t.equal(await client.unsent(), 1)
    isThere = false
    await client.sendUnsent()
    t.match(await historyOf(client), [{ content_id: 1, time: 10 }])
  })

  t.test('a report that waited behind a slow one counts, although it was made before that arrived', async t => {
    const gate = gateTo('/history')
    const { client, sent } = clientOf(t, baseUrl, { fetch: gate.gated })
    await newViewer(app, client)
    const first = client.report({ content_id: 1, time: 100, percentage: 89 })
    await until(() => sent.at(-1)?.path === 'POST /history')
    const second = client.report({ content_id: 1, time: 200, percentage: 100 })
    await sleep(2100)
    gate.open()
    t.strictSame(await Promise.all([first, second]), [{ state: 'sent' }, { state: 'sent' }])
    t.match(await historyOf(client), [{ content_id: 1, time: 200, percentage: 100, plays: 1 }])
  })

  t.test('a kept report is sent by itself once the service is back', async t => {
    const { app, baseUrl, again } = await serve(t)
    const { client } = clientOf(t, baseUrl)
    await newViewer(app, client)
    await app.close()
    await client.report({ content_id: 1, time: 10 })
    await again()
    await until(async () => (await client.unsent()) === 0, { within: 10_000 })
    t.match(await historyOf(client), [{ time: 10 }])
  })

  t.test('a browser that is online again sends at once', async t => {
    const events = new EventTarget()
    asBrowser(t, {
      addEventListener: events.addEventListener.bind(events),
      removeEventListener: events.removeEventListener.bind(events)
    })
    const { app, baseUrl, again } = await serve(t)
    const { client, count } = clientOf(t, baseUrl)
    await newViewer(app, client)
    await app.close()
    await client.report({ content_id: 1, time: 10 })
    const isOnline = () => events.dispatchEvent(new Event('online'))
    await until(() => isOnline() && count('POST /history') === 5)
    await again()
    isOnline()
    await until(async () => (await client.unsent()) === 0, { within: 4000 })
    const before = count('POST /history')
    client.close()
    events.dispatchEvent(new Event('online'))
    t.equal(count('POST /history'), before)
  })

  t.test('Retry-After is respected', async t => {
    const { app, baseUrl } = await serve(t, { settings: { RATE_LIMIT: '2' } })
    const { client, count } = clientOf(t, baseUrl)
    await newViewer(app, client)
    await client.report({ content_id: 1, time: 1 })
    await client.report({ content_id: 1, time: 2 })
    const { state, error } = await client.report({ content_id: 1, time: 3 })
    t.equal(state, 'kept')
    t.match(error, { kind: 'busy', status: 429, retryAfter: Number })
    t.match(await client.report({ content_id: 2, time: 3 }), { state: 'kept', error: { kind: 'busy' } })
    await client.sendUnsent()
    t.equal(count('POST /history'), 3, 'being online again does not shorten the wait')
    t.equal(await client.unsent(), 2)
  })

  /** Sends the beginning of the body and then nothing more, like a connection that breaks down. */
  const stalling: Fetch = async request => {
    const { method, url, headers } = request
    const beginning = new Uint8Array(await request.arrayBuffer()).subarray(0, 5)
    return fetch(url, { method, headers, body: new ReadableStream({ start: body => body.enqueue(beginning) }), duplex: 'half' })
  }

  t.test('reports that were too slow to arrive are kept, and sent in smaller batches', async t => {
    const { app, baseUrl } = await serve(t)
    let isSlow = true
    const { client, sent } = clientOf(t, baseUrl, { fetch: request => (isSlow && request.body ? stalling : fetch)(request) })
    isSlow = false
    await newViewer(app, client)
    isSlow = true
    // The service waits for 10 s. The test has less patience.
    Object.assign(app.server, { headersTimeout: 100, requestTimeout: 100 })
    t.match(await client.report({ content_id: 1, time: 10 }), { state: 'kept', error: { kind: 'no-answer', status: 408 } })
    for (const content_id of [2, 3]) t.match(await client.report({ content_id, time: 10 }), { state: 'kept' })
    await client.sendUnsent()
    t.strictSame(
      sent.filter(({ path }) => path.startsWith('POST /history')).map(({ body }) => (body.reports as unknown[] | undefined)?.length ?? 1),
      [1, 3, 2, 1]
    )
    t.equal(await client.unsent(), 3)
    t.strictSame(await client.refused(), [])

    isSlow = false
    await client.sendUnsent()
    t.equal(await client.unsent(), 0)
    t.equal((await historyOf(client)).length, 3)
  })

  /** Changes the date of the answers on their way. */
  const withDate = (change: (headers: Headers, date: number) => void) => async (request: Request) => {
    const response = await fetch(request)
    const headers = new Headers(response.headers)
    change(headers, Date.parse(headers.get('date') ?? ''))
    return new Response(response.body, { status: response.status, headers })
  }

  t.test('a clock that is wrong here is corrected', async t => {
    const { store, user } = await signedIn(t, app, baseUrl)
    await store.save('unsent', [kept(user.id, 1)])
    const hourAhead = withDate((headers, date) => headers.set('date', new Date(date - 60 * minute).toUTCString()))
    const { client } = clientOf(t, baseUrl, { store, fetch: hourAhead })
    await until(async () => (await client.unsent()) === 0)
    const [element] = await historyOf(client)
    t.ok(Math.abs(secondsAgo(element?.updated_at) - 61 * 60) < 10)
  })

  t.test('an answer that a cache may have kept says nothing of the time', async t => {
    const { store, user } = await signedIn(t, app, baseUrl)
    const fromCache = withDate((headers, date) => {
      if (headers.get('cache-control')?.includes('public')) headers.set('date', new Date(date - 60 * minute).toUTCString())
    })
    const { client } = clientOf(t, baseUrl, { store, fetch: fromCache })
    await client.get('/history')
    await client.get('/terms')
    await store.save('unsent', [kept(user.id, 1)])
    await client.sendUnsent()
    const [element] = await historyOf(client)
    t.ok(Math.abs(secondsAgo(element?.updated_at) - 60) < 10)
  })

  t.test('the local clock is trusted until the time of the service is known', async t => {
    const { store, user } = await signedIn(t, app, baseUrl)
    await store.save('unsent', [kept(user.id, 1)])
    const { client } = clientOf(t, baseUrl, { store, fetch: withDate(headers => headers.delete('date')) })
    await until(async () => (await client.unsent()) === 0)
    const [element] = await historyOf(client)
    t.ok(Math.abs(secondsAgo(element?.updated_at) - 60) < 10)
  })

  t.test('a report from a clock that was ahead counts as now', async t => {
    const { store, user } = await signedIn(t, app, baseUrl)
    await store.save('unsent', [kept(user.id, 1, { observed: Date.now() + 60 * minute })])
    const { client } = clientOf(t, baseUrl, { store })
    await until(async () => (await client.unsent()) === 0)
    t.ok(secondsAgo((await historyOf(client))[0]?.updated_at) < 10)
  })

  t.test('a session that has ended keeps them for the next sign-in', async t => {
    const { store, user } = await signedIn(t, app, baseUrl)
    await change(store, { access_token: 'a.b.c' })
    await app.data.sessions.endAll(user.id)
    const { client } = clientOf(t, baseUrl, { store })
    t.match(await client.report({ content_id: 1, time: 10 }), { state: 'kept', error: { kind: 'session-ended' } })
    t.match(await client.report({ content_id: 1, time: 11 }), { state: 'kept' }, 'playback continues')

    await client.signIn(user.email, password)
    await until(async () => (await client.unsent()) === 0)
    t.match(await historyOf(client), [{ content_id: 1, time: 11 }])
  })

  t.test('concurrent reports are sent one after the other, each with its own outcome', async t => {
    const { client, count } = clientOf(t, baseUrl)
    const { email } = await addUser(app)
    await client.signIn(email ?? '', password)
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => client.report({ content_id: 1 + (n % 3), time: n })))
    t.ok(
      outcomes.every(({ state }) => state === 'sent'),
      JSON.stringify(outcomes)
    )
    t.ok(count('POST /history') <= 30)
    const elements = await historyOf(client)
    t.strictSame(elements.map(({ time }) => time).sort(), [27, 28, 29])
  })

  t.test('a report rejects if the store fails', async t => {
    const { store } = await signedIn(t, app, baseUrl)
    const { client } = clientOf(t, baseUrl, { store })
    const { save } = store
    const full = new Error('the store is full')
    store.save = async (name, value) => {
      // Fails when the report has been sent and should be removed.
      if (Array.isArray(value) && value.length === 0) throw full
      await save(name, value)
    }
    await t.rejects(client.report({ content_id: 1, time: 1 }), full)
  })
})

t.test('reports that were kept', async t => {
  /** One service for all tests that do not stop it. */
  const { app, baseUrl } = await serve(t)

  interface Sent {
    path: string
    body: Record<string, unknown>
  }
  const batches = (sent: Sent[]) =>
    sent.filter(({ path }) => path === 'POST /history/batch').map(({ body }) => body.reports as { time: number }[])

  t.test('refused reports are kept apart from unsent ones', async t => {
    const { store, user } = await signedIn(t, app, baseUrl)
    const other = kept(user.id + 1, 1, { time: 999 })
    const refused = kept(user.id, 99)
    const ofOther = { ...kept(user.id + 1, 98), code: 404, message: 'No' }
    await store.save('refused', [ofOther])
    await store.save('unsent', [kept(user.id, 3), other, refused, kept(user.id, 1)])

    const { client, sent } = clientOf(t, baseUrl, { store })
    await until(async () => (await client.unsent()) === 0)
    t.match(sent, [{ path: 'GET /health' }, { path: 'POST /history/batch' }], 'the client first asks for the time of the service')
    t.match(batches(sent), [[{ content_id: 3 }, { content_id: 99 }, { content_id: 1 }]])
    t.strictSame(await store.load('unsent'), [other], 'the report of another user waits for that user')
    const elements = await historyOf(client)
    t.strictSame(elements.map(({ content_id }) => content_id).sort(), [1, 3])
    for (const { updated_at } of elements) t.ok(Math.abs(secondsAgo(updated_at) - 60) < 10)

    t.strictSame(await client.refused(), [{ ...refused, code: 404, message: 'The content was not found' }])
    t.match(await client.report({ content_id: 99, time: 1 }), { state: 'refused' })
    t.match(await client.report({ content_id: 98, time: 1 }), { state: 'refused' })
    t.match(await client.refused(), [
      { content_id: 99, time: 1, code: 404 },
      { content_id: 98, time: 1, code: 404 }
    ])
    await client.dropRefused()
    t.strictSame(await client.refused(), [])
    t.strictSame(await store.load('refused'), [ofOther])
  })

  t.test('without a user there are no reports', async t => {
    const { client } = clientOf(t, baseUrl)
    t.equal(await client.unsent(), 0)
    t.strictSame(await client.refused(), [])
    await client.dropRefused()
  })

  t.test('whoever awaits a report in a batch gets its own outcome', async t => {
    const { opened, open } = closedGate()
    const gated = async (request: Request) => {
      if (request.url.endsWith('/history')) await opened
      return fetch(request)
    }
    const { client, sent, count } = clientOf(t, baseUrl, { fetch: gated })
    await newViewer(app, client)
    const first = client.report({ content_id: 1, time: 1 })
    await until(() => count('POST /history') === 1)
    const others = [99, 2].map(content_id => client.report({ content_id, time: 2 }))
    await until(async () => (await client.unsent()) === 3)
    open()
    t.match(await first, { state: 'sent' })
    t.match(await Promise.all(others), [
      { state: 'refused', error: { kind: 'refused', code: 404, message: 'The content was not found' } },
      { state: 'sent', error: undefined }
    ])
    t.equal(batches(sent).length, 1)
  })

  t.test('many are sent 200 at a time, oldest first', async t => {
    const { store, user } = await signedIn(t, app, baseUrl)
    const began = Date.now() - 60_000
    const reports = Array.from({ length: 450 }, (_, n) => kept(user.id, 1 + (n % 3), { time: n, observed: began + n }))
    await store.save('unsent', reports)
    const { client, sent } = clientOf(t, baseUrl, { store })
    await until(async () => (await client.unsent()) === 0)
    t.strictSame(
      batches(sent).map(reports => [reports.length, reports[0]?.time]),
      [
        [200, 0],
        [200, 200],
        [50, 400]
      ]
    )
    t.strictSame(
      (await historyOf(client)).map(({ content_id, time }) => [content_id, time]),
      [
        [3, 449],
        [2, 448],
        [1, 447]
      ]
    )
  })

  t.test('a service without batches gets one report after the other', async t => {
    // To an older service, the path is that of an element, which has no POST.
    const asBefore = async (request: Request) => {
      const body = request.body && (await request.text())
      const { method, headers } = request
      return fetch(request.url.replace('/batch', `/${'0'.repeat(24)}`), { method, headers, body })
    }
    const { store, user } = await signedIn(t, app, baseUrl)
    await store.save('unsent', [kept(user.id, 3), kept(user.id, 99), kept(user.id, 1)])
    const { client, sent } = clientOf(t, baseUrl, { store, fetch: asBefore })
    await until(async () => (await client.unsent()) === 0)
    t.strictSame(
      sent.slice(1).map(({ path, body }) => [path, body.content_id]),
      [
        ['POST /history/batch', undefined],
        ['POST /history', 3],
        ['POST /history', 99],
        ['POST /history', 1]
      ]
    )
    t.match(await client.refused(), [{ content_id: 99, code: 404 }])
    t.equal((await historyOf(client)).length, 2)
  })

  t.test('a viewer who sees the end while offline and begins again has seen the end', async t => {
    const { app, baseUrl, again } = await serve(t)
    const { client, sent } = clientOf(t, baseUrl)
    await newViewer(app, client)
    await app.close()
    for (const percentage of [20, 40, 95, 97, 50, 5, 2, 30, 60]) await client.report({ content_id: 1, time: percentage * 60, percentage })
    t.equal(await client.unsent(), 4, 'reports are kept at the start, at both turning points and at the current position')
    await again()
    await client.sendUnsent()
    t.match(batches(sent).at(-1), [{ percentage: 20 }, { percentage: 97 }, { percentage: 2 }, { percentage: 60 }])
    t.match(await historyOf(client), [{ percentage: 60, plays: 1 }])
  })

  t.test('a percentage and a time that are reported separately are both kept', async t => {
    const { app, baseUrl } = await serve(t)
    const { store, user } = await signedIn(t, app, baseUrl)
    const { client } = clientOf(t, baseUrl, { store })
    await app.close()
    await client.report({ content_id: 1 })
    await client.report({ content_id: 1, percentage: 10 })
    await client.report({ content_id: 1, time: 600 })
    t.match(await store.load('unsent'), [{ content_id: 1 }, { content_id: 1, user_id: user.id, percentage: 10, time: 600 }])
  })

  t.test('no more than 1,000 are kept', async t => {
    const { app, baseUrl } = await serve(t)
    const { store, user } = await signedIn(t, app, baseUrl)
    await app.close()
    await store.save(
      'unsent',
      Array.from({ length: 1000 }, (_, n) => kept(user.id, n + 1))
    )
    const { client } = clientOf(t, baseUrl, { store })
    await client.report({ content_id: 1001, time: 1 })
    const reports = (await store.load('unsent')) ?? []
    t.equal(reports.length, 1000)
    t.equal(reports[0]?.content_id, 2, 'the oldest report was dropped')
    t.equal(reports.at(-1)?.content_id, 1001)
  })

  t.test('nothing is reported in the name of another user', async t => {
    const { store, user } = await signedIn(t, app, baseUrl)
    await store.save('unsent', [kept(user.id, 1), kept(user.id, 2)])
    const { opened, open } = closedGate()
    const gated = async (request: Request) => {
      if (request.url.endsWith('/health')) await opened
      return fetch(request)
    }
    const { client, count } = clientOf(t, baseUrl, { store, fetch: gated })
    await until(() => count('GET /health') === 1)
    await newViewer(app, client)
    open()
    await until(() => count('POST /history/batch') === 1)
    t.strictSame(await historyOf(client), [])
    t.equal((await store.load('unsent'))?.length, 2, 'the reports wait')
    t.equal((await errorOf(client.signIn(user.email, 'wrong'))).kind, 'wrong-credentials')
    await client.signIn(user.email, password)
    await until(async () => (await client.unsent()) === 0)
    t.equal((await historyOf(client)).length, 2)
  })
})
