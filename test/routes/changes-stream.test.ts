import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Changes } from '../../schemas/changes.js'
import { everybody } from '../../src/catalogue/audience.js'
import { importFiles } from '../../src/import/index.js'
import { LiveStream, NudgeReader, Nudger, SentChanges, type StreamEnd, Unread } from '../../src/sync/index.js'
import { assertFailure, assertRefused } from '../helpers/answers.js'
import { type App, addUser, build, buildWith } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { deviceOf, profileOf } from '../helpers/devices.js'
import { film } from '../helpers/documents.js'
import { freezableMongod, freeze } from '../helpers/freeze.js'
import { providerSettings, providerToken } from '../helpers/provider.js'
import { proxyTo } from '../helpers/proxy.js'
import { connected, parsed, talk } from '../helpers/sockets.js'
import { addressOf, follow } from '../helpers/streams.js'
import { closedGate, until } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'

const films = Array.from({ length: 600 }, (_, i) => film(i + 1, { min_age: i === 1 ? 18 : 6 }))
const lists = ['history', 'watchlist', 'hidden', 'ratings', 'preferences'] as const

const idsIn = (changes: Changes[], list: (typeof lists)[number] = 'history') =>
  changes.flatMap(page => page[list].map(({ content_id }: { content_id: number | null }) => content_id))
const countOf = (page: Changes) => lists.reduce((sum, list) => sum + page[list].length + page.removed[list].length, 0)

/** Reports progress in many titles at once. */
const watchMany = async (viewer: Viewer, ids: number[], time = 1) => {
  for (let i = 0; i < ids.length; i += 200) {
    const reports = ids.slice(i, i + 200).map(content_id => ({ content_id, time }))
    const { statusCode, body } = await viewer.post('/history/batch', { reports })
    if (statusCode !== 200) throw new Error(body)
  }
}
const range = (length: number, first = 1) => Array.from({ length }, (_, i) => first + i)

const metric = async (app: App, name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await app.metricsText())?.[1])
const openIn = (app: App) => metric(app, 'event_streams_open')
const endedIn = (app: App, reason: string) => metric(app, `event_streams_ended_total{reason="${reason}"}`.replaceAll(/[{}]/g, '\\$&'))

/** A stream whose caller reads nothing, after more than any buffer between them takes. */
const deafCaller = async (t: Test) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  t.teardown(() => caller.destroy())
  caller.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, out] = await asked
  const ends: StreamEnd[] = []
  const unread = new Unread()
  const stream = new LiveStream({ viewer: { id: 1, account: 1 }, audience: everybody, out, unread, onEnd: reason => ends.push(reason) })
  stream.send('cursor', 'x'.repeat(32 * 1024 * 1024))
  stream.end('drain')
  stream.send('cursor', 'after its end')
  return { out, ends }
}

t.test('a stream of changes', async t => {
  const log: string[] = []
  const app = await buildWith(t, { contents: films }, { log })
  const address = await addressOf(app)
  const started = async (t: Test, query = '', headers: Record<string, string> = {}) => {
    const viewer = await viewerOf(app)
    const stream = await follow(t, address, { ...viewer.headers, ...headers }, query)
    return { viewer, stream }
  }
  const cursorOf = async (viewer: Viewer) => (await viewer.get('/changes')).json().data.cursor as string

  // These take many seconds, so they run beside the others.
  const { stream: quiet } = await started(t)
  const deaf = await deafCaller(t)

  t.test('of now says from where it follows, and then what changes', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1)
    const { cursor } = (await viewer.get('/changes')).json().data
    const stream = await follow(t, address, viewer.headers)
    t.match(stream, { status: 200, events: [] })
    t.match(stream.headers, {
      'content-type': 'text/event-stream',
      'cache-control': 'private, no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': /^\w{32}$/
    })
    await until(() => stream.events.length > 0)
    t.match(stream.events, [{ event: 'ready', id: /^[\w-]{20,200}$/, data: '{}' }])

    await watch(viewer, 2, { time: 5 })
    await stream.told(1)
    const [told] = stream.changes()
    const asked = (await viewer.get(`/changes?since=${cursor}`)).json().data
    t.strictSame(
      { ...told, cursor: '' },
      { ...asked, history: asked.history.filter(({ content_id }: { content_id: number }) => content_id === 2), cursor: '' },
      'as GET /changes has it'
    )
    t.equal(stream.events[1]?.id, told?.cursor)

    await viewer.post('/history/watched', { content_id: 4, watched: true })
    await stream.told(changes => idsIn(changes).includes(4))

    await viewer.post('/watchlist', { content_id: 3 })
    await stream.told(changes => idsIn(changes, 'watchlist').length > 0)
    t.strictSame(idsIn(stream.changes()), [2, 4], 'nothing is told twice')
    t.strictSame(idsIn(stream.changes(), 'watchlist'), [3])
    await viewer.remove('/history')
    await stream.told(changes => changes.flatMap(({ removed }) => removed.history).length >= 3)
    t.strictSame(
      stream
        .changes()
        .flatMap(({ removed }) => removed.history)
        .sort(),
      [1, 2, 4]
    )
    await viewer.put('/preferences', { audio: 'de' })
    await stream.told(changes => idsIn(changes, 'preferences').length > 0)
    t.strictSame(idsIn(stream.changes(), 'preferences'), [null])
    const lines = [4, 5].map(content_id => JSON.stringify({ user_id: viewer.id, content_id }))
    await importFiles(databaseOf(app), { 'hidden.ndjson': lines.join('\n') })
    await stream.told(changes => idsIn(changes, 'hidden').length >= 2)
    t.strictSame(idsIn(stream.changes(), 'hidden').sort(), [4, 5], 'also what an import adds')
    t.match(
      log
        .map(line => JSON.parse(line))
        .filter(({ path }) => path === '/changes/stream')
        .at(-1),
      { status: 200, msg: 'answered' }
    )
  })

  t.test('goes on from a cursor, in several events', async t => {
    const viewer = await viewerOf(app)
    const cursor = await cursorOf(viewer)
    await watchMany(viewer, range(250))
    const stream = await follow(t, address, viewer.headers, `?since=${cursor}`)
    await stream.told(3)
    t.equal(stream.events[0]?.id, cursor)
    t.strictSame(
      stream.changes().map(page => [countOf(page), page.more, page.reset]),
      [100, 100, 50].map(count => [count, false, false])
    )
    await watch(viewer, 300)
    await stream.told(4)
    t.strictSame(
      idsIn(stream.changes()).sort((a, b) => Number(a) - Number(b)),
      [...range(250), 300]
    )

    const last = stream.events[2]?.id as string
    const again = await follow(t, address, { ...viewer.headers, 'last-event-id': last }, `?since=${cursor}`)
    await again.told(1)
    t.equal(again.events[0]?.id, last, 'the header takes precedence')
    t.equal(again.changes()[0]?.history.length, 51)
    const empty = await follow(t, address, { ...viewer.headers, 'last-event-id': '' }, `?since=${last}`)
    await empty.told(1)
    t.equal(empty.events[0]?.id, last, 'but not an empty one')
  })

  t.test('of now leaves out what has just changed, however much that is', async t => {
    const viewer = await viewerOf(app)
    await watchMany(viewer, range(600))
    const stream = await follow(t, address, viewer.headers)
    await until(() => stream.events.length > 0)
    await viewer.put('/hidden/7')
    await stream.told(changes => idsIn(changes, 'hidden').length > 0)
    app.liveStreams.sweep(performance.now() + 60_000)
    await until(() => stream.comments > 0)
    await viewer.put('/hidden/8')
    await stream.told(changes => idsIn(changes, 'hidden').includes(8))
  })

  t.test('is shared by all streams of a profile, however far each has read', async t => {
    const viewer = await viewerOf(app)
    const cursor = await cursorOf(viewer)
    const first = await follow(t, address, viewer.headers)
    await watch(viewer, 1)
    await first.told(1)
    const second = await follow(t, address, viewer.headers, `?since=${cursor}`)
    await second.told(1)
    const third = await follow(t, address, viewer.headers)
    await until(() => third.events.length > 0)
    for (const id of range(5, 2)) await watch(viewer, id)
    for (const stream of [first, second, third]) await stream.told(changes => new Set(idsIn(changes)).size >= (stream === third ? 5 : 6))
    t.strictSame([...new Set(idsIn(third.changes()))], range(5, 2))
    first.close()
    second.close()
    await watch(viewer, 9)
    await third.told(changes => idsIn(changes).includes(9))
  })

  /** Lets something happen before or after the app reads changes for the next time. */
  const around = (name: 'after' | 'isQuiet', before: () => Promise<unknown>, after = async (): Promise<unknown> => undefined) => {
    const { changes } = app.data
    const real = changes[name] as (...given: unknown[]) => Promise<never>
    changes[name] = async (...given: unknown[]) => {
      changes[name] = real
      await before()
      const found = await real(...given)
      await after()
      return found
    }
  }

  t.test('may begin while another one of the profile reads', async t => {
    const viewer = await viewerOf(app)
    const cursor = await cursorOf(viewer)
    const first = await follow(t, address, viewer.headers, `?since=${cursor}`)
    await watch(viewer, 1)
    await first.told(1)
    let second = first
    around('after', async () => {
      second = await follow(t, address, viewer.headers)
      await until(() => second.events.length > 0)
    })
    await watch(viewer, 2)
    await first.told(2)
    await watch(viewer, 3)
    for (const stream of [first, second]) await stream.told(changes => idsIn(changes).includes(3))
    t.strictSame(new Set(idsIn(first.changes())), new Set([1, 2, 3]))
  })

  t.test('misses nothing that changes while it catches up', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1)
    const other = await follow(t, address, viewer.headers)
    await until(() => other.events.length > 0)
    const change = async (content_id: number) => {
      await watch(viewer, content_id)
      await other.told(changes => idsIn(changes).includes(content_id))
    }
    around(
      'after',
      () => change(2),
      () => change(3)
    )
    const stream = await follow(t, address, viewer.headers, '?since=x')
    await stream.told(changes => new Set(idsIn(changes)).size === 3)
    await change(4)
    await stream.told(changes => idsIn(changes).includes(4))
  })

  t.test('reads again what changes during its last read', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1)
    around(
      'after',
      async () => undefined,
      () => watch(viewer, 2)
    )
    const stream = await follow(t, address, viewer.headers, '?since=x')
    await stream.told(changes => new Set(idsIn(changes)).size === 2)
  })

  t.test('forgets what it has sent long ago, also while nothing changes', async t => {
    const viewer = await viewerOf(app)
    const now = new Date()
    // The app does not notice this write, so nothing makes the stream read again.
    await databaseOf(app)
      .collection('history')
      .insertOne({ user_id: viewer.id, content_id: 1, time: 1, percentage: 1, created_at: now, updated_at: now })
    const stream = await follow(t, address, viewer.headers, '?since=x')
    await stream.told(1)
    app.liveStreams.sweep(performance.now() + 60_000)
    await watch(viewer, 2)
    await stream.told(2)
    t.strictSame(idsIn(stream.changes()).sort(), [1, 1, 2])
  })

  for (const [name, query] of [
    ['isQuiet', ''],
    ['after', '?since=left']
  ] as const)
    t.test(`is not kept for a caller who leaves during ${name}`, async t => {
      await until(async () => (await openIn(app)) === 1)
      const viewer = await viewerOf(app)
      const seen = new Promise<Socket>(resolve => app.server.once('request', ({ socket }) => resolve(socket)))
      const leaving = new AbortController()
      around(name, async () => {
        leaving.abort()
        const socket = await seen
        await until(() => socket.destroyed)
      })
      const answer = fetch(`${address}/changes/stream${query}`, { headers: viewer.headers, signal: leaving.signal })
      await answer.then(found => found.text()).catch(() => undefined)
      await until(async () => (await openIn(app)) === 1 && (await metric(app, 'http_requests_in_progress')) === 0)
      t.ok((await seen).destroyed)
    })

  for (const [what, made] of [
    ['a made-up cursor', async () => 'made up'],
    ['an empty cursor', async () => ''],
    ['a cursor with line breaks', async () => 'a\n\nevent: end\r\ndata: {}\n\n'],
    ['the cursor of another user', async () => cursorOf(await viewerOf(app))]
  ] as const)
    t.test(`from ${what} begins anew`, async t => {
      const viewer = await viewerOf(app)
      await watchMany(viewer, range(150))
      const stream = await follow(t, address, viewer.headers, `?since=${encodeURIComponent(await made())}`)
      await stream.told(2)
      t.match(stream.events[0], { event: 'ready', id: /^[\w-]{20,200}$/, data: '{}' })
      t.strictSame(
        stream.changes().map(({ reset, history }) => [reset, history.length]),
        [
          [true, 100],
          [false, 50]
        ]
      )
      const again = await follow(t, address, { ...viewer.headers, 'last-event-id': stream.events[0]?.id as string })
      await again.told(2)
      t.ok(again.changes()[0]?.reset, 'also for a caller who has read no further')
    })

  t.test('of an empty profile begins anew, too', async t => {
    const { stream } = await started(t, '?since=x')
    await stream.told(1)
    t.match(stream.changes(), [{ reset: true, history: [] }])
  })

  t.test('is refused like everything else', async t => {
    const viewer = await viewerOf(app)
    const ask = (url: string, headers = {}) => app.inject({ url, headers: { ...viewer.headers, ...headers } })
    assertRefused(t, await ask(`/changes/stream?since=${'x'.repeat(10_000)}`), 'since', 'a cursor of 10 KB')
    assertRefused(t, await ask('/changes/stream', { 'last-event-id': 'x'.repeat(10_000) }), 'last-event-id', 'the same in the header')
    assertRefused(t, await ask('/changes/stream?since=a&since=b'), 'since', 'two cursors')
    t.equal((await app.inject('/changes/stream')).statusCode, 401)
    t.match(await viewer.post('/changes/stream'), { statusCode: 405, headers: { allow: 'GET, HEAD' } })
    const broken = `GET /changes/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${viewer.headers.authorization}\r\nLast-Event-ID: a\nb\r\n\r\n`
    t.equal(parsed(await talk(app, broken)).statusCode, 400, 'a line break in the header')
  })

  t.test('has a HEAD without a stream, and is sent whatever the caller accepts', async t => {
    const begun = log.filter(line => line.includes('/changes/stream')).length
    const viewer = await viewerOf(app)
    const head = await fetch(`${address}/changes/stream`, { method: 'HEAD', headers: viewer.headers })
    t.equal(head.status, 200)
    t.equal(head.headers.get('content-type'), 'text/event-stream')
    t.equal(await head.text(), '')
    await until(() => log.filter(line => line.includes('/changes/stream')).length === begun + 1)
    await until(async () => (await openIn(app)) === 1)
    const { stream } = await started(t, '', { accept: 'application/json' })
    t.match(stream, { status: 200, headers: { 'content-type': 'text/event-stream' } })
  })

  t.test('leaves nothing behind when its caller has left', async t => {
    // The quiet one.
    await until(async () => (await openIn(app)) === 1)
    const gone = await endedIn(app, 'caller')
    const { stream } = await started(t)
    await until(() => stream.events.length > 0)
    t.equal(await openIn(app), 2)
    stream.close()
    await until(async () => (await openIn(app)) === 1)
    t.equal(await endedIn(app, 'caller'), gone + 1)
  })

  t.test('survives a thousand callers who go away at once', async t => {
    const viewers = await Promise.all(range(100).map(() => viewerOf(app)))
    const attempts = range(1000).map(async i => {
      const leaving = new AbortController()
      const { headers } = viewers[i % 100] as Viewer
      const answer = fetch(`${address}/changes/stream${i % 3 === 0 ? '?since=x' : ''}`, { headers, signal: leaving.signal })
      await new Promise(resolve => setTimeout(resolve, i % 50))
      leaving.abort()
      await answer.catch(() => undefined)
    })
    await Promise.all(attempts)
    await until(async () => (await openIn(app)) === 1 && (await metric(app, 'http_requests_in_progress')) === 0)
    const { viewer, stream } = await started(t)
    await until(() => stream.events.length > 0)
    await watch(viewer, 1)
    await stream.told(1)
  })

  t.test('waits while a caller reads slowly, unless too much is unread', async t => {
    const viewer = await viewerOf(app)
    await watchMany(viewer, range(400))
    // A corked connection sends nothing, like one whose caller reads nothing.
    const corked = new Promise<Socket>(resolve =>
      app.server.prependListener('request', ({ url, socket }: IncomingMessage) => {
        if (url !== '/changes/stream?since=slow') return
        socket.cork()
        resolve(socket)
      })
    )
    const following = follow(t, address, viewer.headers, '?since=slow')
    const connection = await corked
    await until(() => connection.writableLength > 20_000)
    await viewer.get('/changes?perPage=500')
    t.ok(connection.writableLength < 100_000, 'it does not read ahead')
    connection.uncork()
    const stream = await following
    await stream.told(4)
    t.strictSame(new Set(idsIn(stream.changes())), new Set(range(400)))
    await watch(viewer, 500)
    await stream.told(changes => idsIn(changes).includes(500))

    const slow = await endedIn(app, 'slow')
    connection.cork()
    for (let time = 2; (await endedIn(app, 'slow')) === slow; time++) await watchMany(viewer, range(400), time)
    connection.uncork()
    t.equal(await stream.ended(), 'slow')
  })

  t.test('has a comment now and then', async t => {
    await until(() => quiet.comments > 0)
    t.strictSame(
      quiet.events.map(({ event }) => event),
      ['ready']
    )
  })

  t.test('is cut if its caller does not even read its end', async t => {
    await until(() => deaf.out.destroyed)
    t.strictSame(deaf.ends, ['slow'])
  })
})

t.test('a stream ends', async t => {
  const app = await buildWith(t, { contents: films }, { settings: { ACCESS_TOKEN_TTL: '2' } })
  const other = await build(t, { url: app.settings.MONGO_URL })
  const address = await addressOf(app)
  const otherAddress = await addressOf(other)

  t.test('with its token', async t => {
    const viewer = await viewerOf(app)
    const began = Date.now()
    const stream = await follow(t, address, viewer.headers)
    t.equal(await stream.ended(), 'token')
    t.ok(Date.now() - began > 900, 'not before')
    t.equal(stream.headers.connection, 'close')
    t.equal(await endedIn(app, 'token'), 1)
  })

  const ends: Record<string, (viewer: Viewer) => Promise<unknown>> = {
    'its session': ({ headers }) => app.inject({ method: 'POST', url: '/logout', headers }),
    'its user': ({ id }) => app.data.users.disable(id)
  }
  for (const [what, end] of Object.entries(ends))
    t.test(`with ${what}, in another process`, async t => {
      const viewer = await viewerOf(other)
      const stream = await follow(t, otherAddress, viewer.headers)
      await end(viewer)
      t.equal(await stream.ended(), 'session')
    })
})

t.test('what streams were sent is remembered for as long as it may be read again, and only what all were sent', async t => {
  const page = (...ids: number[]) => {
    const empty = Object.fromEntries(lists.map(list => [list, []]))
    return { ...empty, history: ids.map(content_id => ({ content_id })), removed: empty, reset: false } as unknown as Changes
  }
  const [one, other] = [new SentChanges(), new SentChanges()]
  const sentOf = (...ids: number[]) => JSON.parse(one.unsentIn(page(...ids)) ?? '{}').history
  t.strictSame(sentOf(1, 2), [{ content_id: 1 }, { content_id: 2 }])
  other.unsentIn(page(2, 3))
  one.keepCommon(other)
  t.strictSame(sentOf(1, 2), [{ content_id: 1 }])
  t.equal(sentOf(1, 2), undefined)
  t.notOk(one.forgetOld(performance.now() + 15_000))
  t.equal(sentOf(1), undefined)
  t.ok(one.forgetOld(performance.now() + 25_000))
  t.strictSame(sentOf(1), [{ content_id: 1 }])
})

t.test('a stream begins anew when the age limit of its profile changes', async t => {
  const app = await buildWith(t, { contents: films })
  const address = await addressOf(app)
  const account = await addUser(app)
  const profile = await profileOf(app, account)
  const parent = await deviceOf(app, account, 'tablet')
  const child = await deviceOf(app, account, 'television', profile)
  const send = (headers: Record<string, string>, method: 'POST' | 'PUT', url: string, payload: object) =>
    app.inject({ method, url, headers, payload })
  for (const content_id of [1, 2]) await send(child.headers, 'POST', '/history', { content_id })
  const [stream, resumed] = [await follow(t, address, child.headers), await follow(t, address, child.headers, '?since=x')]
  await resumed.told(1)
  const limit = (max_age: number | null) => send(parent.headers, 'PUT', `/profiles/${profile._id}`, { max_age })
  t.equal((await limit(12)).statusCode, 200)
  for (const one of [stream, resumed]) {
    await one.told(changes => changes.at(-1)?.history.length === 1)
    t.match(one.changes().at(-1), { reset: true, history: [{ content_id: 1 }] })
  }
  await limit(18)
  await stream.told(2)
  t.match(stream.changes().at(-1), { reset: true, history: [{}, {}] })
  await send(child.headers, 'POST', '/history', { content_id: 3 })
  await stream.told(3)
  t.match(stream.changes().at(-1), { reset: false, history: [{ content_id: 3 }] })

  // As after an hour with an identity provider, whose tokens live as long as it likes.
  await databaseOf(app)
    .collection('users')
    .updateMany({}, { $unset: { old_limit_until: '' } })
  await app.data.revisions.raise('limits')
  await until(() => app.revocations.unlessRevoked({ id: profile._id, account: account._id, maxAge: 3 })?.maxAge === 3)
  await sleep(1200)
  await send(child.headers, 'POST', '/history', { content_id: 4 })
  await stream.told(4)
  t.match(stream.changes().at(-1), { reset: false, history: [{ content_id: 4 }] }, 'and keeps it when the change is forgotten')
})

t.test('a stream begins anew after a restore', async t => {
  const app = await buildWith(t, { contents: films }, { settings: providerSettings })
  const address = await addressOf(app)
  const stream = await follow(t, address, { authorization: `Bearer ${await providerToken('ada')}` })
  await until(() => stream.events.length > 0)
  await databaseOf(app)
    .collection<{ _id: string }>('restores')
    .insertOne({ _id: 'last', at: new Date() } as never)
  await stream.told(1)
  t.match(stream.changes(), [{ reset: true, history: [] }])
})

t.test('there are only so many streams', async t => {
  t.test('of an account', async t => {
    const app = await buildWith(t, { contents: films })
    const address = await addressOf(app)
    const viewer = await viewerOf(app)
    const streams = await Promise.all(range(14).map(() => follow(t, address, viewer.headers)))
    const opened = streams.filter(({ status }) => status === 200)
    t.equal(opened.length, 10)
    const eleventh = await app.inject({ url: '/changes/stream', headers: viewer.headers })
    assertFailure(t, eleventh, 429, 'the eleventh')
    t.match(eleventh.headers, { 'retry-after': /\d/ })
    opened[0]?.close()
    await until(async () => (await openIn(app)) === 9)
    t.equal((await follow(t, address, viewer.headers)).status, 200)
    t.equal((await follow(t, address, (await viewerOf(app)).headers)).status, 200, 'others have their own')
  })

  t.test('in a process', async t => {
    const app = await buildWith(t, { contents: films }, { settings: { LIVE_STREAMS: '2' } })
    const address = await addressOf(app)
    for (const status of [200, 200, 503]) t.equal((await follow(t, address, (await viewerOf(app)).headers)).status, status)
    t.match(await app.metricsText(), /http_refused_total\{reason="streams"\} 1/)
  })

  t.test('and none, if they are off', async t => {
    const app = await build(t, { settings: { LIVE_STREAMS: '0' } })
    assertFailure(t, await (await viewerOf(app)).get('/changes/stream'), 404, 'the path')
  })

  t.test('but RATE_LIMIT counts their beginning alone', async t => {
    const app = await buildWith(t, { contents: films }, { settings: { RATE_LIMIT: '3' } })
    const address = await addressOf(app)
    const viewer = await viewerOf(app)
    const stream = await follow(t, address, viewer.headers)
    await app.data.watchlist.add(viewer.id, 1)
    await app.data.watchlist.add(viewer.id, 2)
    await stream.told(changes => idsIn(changes, 'watchlist').length === 2)
    t.equal((await viewer.get('/changes')).statusCode, 200)
    t.equal((await viewer.get('/changes')).statusCode, 200)
    t.equal((await viewer.get('/changes')).statusCode, 429)
  })
})

t.test('what waits unread for all streams is bounded, too', async t => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const unread = new Unread()
  const ended: number[] = []
  /** A stream that waits for its turn, so that all that is sent stays in the process. */
  const waiting = async (id: number) => {
    const caller = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
    t.teardown(() => caller.destroy())
    const asked = (url: string) =>
      new Promise<ServerResponse>(resolve => server.on('request', (request, response) => request.url === url && resolve(response)))
    const responses = Promise.all([asked(`/before/${id}`), asked(`/${id}`)])
    caller.resume().write(`GET /before/${id} HTTP/1.1\r\nHost: x\r\n\r\nGET /${id} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const [first, out] = await responses
    const stream = new LiveStream({ viewer: { id, account: id }, audience: everybody, out, unread, onEnd: () => ended.push(id) })
    return { stream, first, out }
  }
  server.setMaxListeners(0)
  const streams = await Promise.all(range(45).map(waiting))
  const send = (id: number, bytes: number) => streams[id - 1]?.stream.send('cursor', 'x'.repeat(bytes))
  const cut = () => range(45).filter(id => streams[id - 1]?.out.req.socket.destroyed)

  send(3, 1_000_000)
  for (const id of range(40).filter(id => id !== 3)) send(id, 800_000)
  send(41, 600_000)
  send(42, 700_000)
  t.strictSame(ended, [], '33.5 MB are not too much')
  send(43, 100_000)
  t.strictSame([ended, cut()], [[3], []], 'the stream that holds the most ends')
  send(44, 1000)
  t.strictSame([ended, cut()], [[3], [3]], 'and is cut if it has not been read when more comes')
  send(44, 980_000)
  send(45, 1000)
  t.strictSame(
    [ended, cut()],
    [
      [3, 44],
      [3, 44]
    ]
  )

  streams[0]?.first.end()
  await until(() => streams[0]?.stream.unread === 0)
  send(45, 990_000)
  t.strictSame(
    [ended, cut()],
    [
      [3, 44],
      [3, 44]
    ],
    'what was read does not count any more'
  )
  for (const { out } of streams) out.req.socket.destroy()
})

t.test('a caller who hangs up leaves no stream behind that waits for its turn', async t => {
  const log: string[] = []
  const app = await buildWith(t, { contents: films }, { log })
  await addressOf(app)
  const viewer = await viewerOf(app)
  const pipelined = async (...queries: string[]) => {
    const socket = await connected(app)
    const head = `Host: x\r\nAuthorization: ${viewer.headers.authorization}\r\n\r\n`
    for (const query of queries) socket.write(`GET /changes/stream${query} HTTP/1.1\r\n${head}`)
    return socket
  }
  const lines = () => log.map(line => JSON.parse(line)).filter(({ path }) => path === '/changes/stream')

  const socket = await pipelined(...range(10).map(() => ''))
  await until(async () => (await openIn(app)) === 10)
  socket.destroy()
  await until(async () => (await openIn(app)) === 0)
  t.equal(await endedIn(app, 'caller'), 10)
  t.equal(lines().length, 10, 'each has one line, from its beginning')

  const gate = closedGate()
  let reads = 0
  const { changes } = app.data
  const { isQuiet } = changes
  changes.isQuiet = async (...given) => {
    reads++
    await gate.opened
    return isQuiet(...given)
  }
  const leaving = await pipelined('', '')
  await until(() => reads === 2)
  leaving.destroy()
  const connections = () => new Promise<number>(resolve => app.server.getConnections((_error, count) => resolve(count)))
  await until(async () => (await connections()) === 0)
  gate.open()
  await until(() => lines().length === 12)
  t.equal(await openIn(app), 0, 'nor one that has not begun')
  t.match(lines().slice(10), [
    { status: 200, closed: true },
    { status: 200, closed: true }
  ])
})

t.test('preflights allow the header', async t => {
  const app = await build(t, { settings: { CORS_ORIGIN: 'https://app.example.com' } })
  const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'GET' }
  const { headers: allowed } = await app.inject({ method: 'OPTIONS', url: '/changes/stream', headers })
  t.match(allowed['access-control-allow-headers'], /\bLast-Event-ID\b/)
  const address = await addressOf(app)
  const stream = await follow(t, address, { ...(await viewerOf(app)).headers, origin: headers.origin })
  t.equal(stream.headers['access-control-allow-origin'], headers.origin)
})

t.test('a drain ends the streams one after the other', async t => {
  const app = await build(t, { settings: { DRAIN_DELAY: '500' } })
  const address = await addressOf(app)
  const viewers = await Promise.all(range(12).map(() => viewerOf(app)))
  const streams = await Promise.all(viewers.map(({ headers }) => follow(t, address, headers)))
  const drained = app.drain()
  await until(async () => (await endedIn(app, 'drain')) > 0, { every: 5 })
  t.ok((await openIn(app)) > 0, 'not at once')
  const late = await follow(t, address, (await viewerOf(app)).headers)
  for (const stream of streams) {
    t.equal(await stream.ended(), 'drain')
    t.match(stream.events.at(-1)?.retry, /^\d{3,4}$/)
  }
  await drained
  await until(() => late.events.length > 0)
  t.notOk(late.hasEnded, 'one that began later')
  const closed = app.close()
  t.equal(await late.ended(), 'drain', 'ends with the process')
  await closed
})

t.test('while the database is away, streams stay open, and go on without a gap', async t => {
  const { url, pid } = await freezableMongod(t)
  const app = await build(t, { url: `${url}/viewer`, settings: { DATABASE_TIMEOUT: '500' } })
  await databaseOf(app)
    .collection('contents')
    .insertMany(films as never)
  const address = await addressOf(app)
  const viewer = await viewerOf(app)
  const cursor = (await viewer.get('/changes')).json().data.cursor
  const stream = await follow(t, address, viewer.headers)
  await until(() => stream.events.length > 0)
  await freeze(pid)
  app.nudger.note([viewer.id])
  const resumed = await follow(t, address, viewer.headers, `?since=${cursor}`)
  assertFailure(t, await viewer.get('/changes/stream'), 503, 'one of now cannot begin')
  process.kill(pid, 'SIGCONT')
  await until(async () => (await viewer.get('/changes')).statusCode === 200)
  await app.data.reports.put(viewer.id, { content_id: 1, progress: {} })
  for (const one of [stream, resumed]) await one.told(changes => idsIn(changes).includes(1))
  t.notOk(stream.hasEnded)
})

t.test('a write that takes effect after its caller got a 503 is told', async t => {
  const proxy = await proxyTo(t, await seededUrl(t, { contents: films }))
  const app = await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '500' } })
  const viewer = await viewerOf(app)
  const stream = await follow(t, await addressOf(app), viewer.headers)
  await until(() => stream.events.length > 0)
  // Longer than the service waits for a response.
  proxy.hold('findAndModify', 2500)
  assertFailure(t, await viewer.post('/history', { content_id: 1 }), 503, 'the write')
  await stream.told(changes => idsIn(changes).includes(1))
})

t.test('one that takes too long to begin is refused, and leaves nothing behind', async t => {
  const proxy = await proxyTo(t, await seededUrl(t, { contents: films }))
  const app = await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '1000' } })
  const viewer = await viewerOf(app)
  // Longer than the request may take, but not than the connection.
  proxy.hold('unionWith', 2200)
  assertFailure(t, await viewer.get('/changes/stream'), 503, 'the stream')
  await sleep(1500)
  t.equal(await openIn(app), 0)
  t.equal((await viewer.get('/changes')).statusCode, 200)
})

t.test('a fault ends a stream without a word, and is logged', async t => {
  const log: string[] = []
  const app = await buildWith(t, { contents: films }, { log })
  const address = await addressOf(app)
  const viewer = await viewerOf(app)
  const stream = await follow(t, address, viewer.headers)
  await until(() => stream.events.length > 0)
  app.data.changes.after = () => Promise.reject(new Error('a fault'))
  await watch(viewer, 1)
  await until(() => stream.hasEnded)
  const again = await follow(t, address, viewer.headers, '?since=x')
  t.strictSame([await stream.ended(), await again.ended()], [undefined, undefined])
  const socket = await connected(app)
  const closed = once(socket, 'close')
  const get = (query: string, { headers }: Viewer) =>
    `GET /changes/stream${query} HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`
  socket.write(get('', await viewerOf(app)) + get('?since=x', viewer))
  socket.resume()
  await closed
  t.equal(await openIn(app), 0, 'also one that waits for its turn')
  const failures = () => log.filter(line => line.includes('a stream of changes failed')).length
  await until(() => failures() === 3)
})

t.test('nudges', async t => {
  const app = await build(t)
  const { nudges } = app.data
  // Only the nudges of the tests.
  await app.nudger.close()
  const reading = async (own = 'reader') => {
    const reader = new NudgeReader(nudges, own)
    t.equal(await reader.read(), 'everybody', 'the first reading')
    return reader
  }
  const nudge = (seq: number, users: number[], isLast = false, from = 'sender') => nudges.send({ from, seq, users, isLast })

  t.test('are read once', async t => {
    await nudge(0, [1])
    const reader = await reading()
    t.strictSame(await reader.read(), [])
    await nudge(1, [2, 3])
    await nudge(2, [3], true)
    await nudge(0, [4], false, 'another')
    await nudge(0, [5], false, 'reader')
    t.strictSame(await reader.read(), [2, 3, 4])
    t.strictSame(await reader.read(), [])
  })

  t.test('that are missing are noticed', async t => {
    const reader = await reading()
    await nudge(0, [1], false, 'gap')
    await nudge(2, [1], false, 'gap')
    t.equal(await reader.read(), 'everybody')
    t.strictSame(await reader.read(), [])
  })

  t.test('and so is a process that was killed before it could send one', async t => {
    const reader = await reading()
    await nudge(0, [1], false, 'killed')
    await nudge(0, [1], true, 'stopped')
    t.strictSame(await reader.read(), [1])
    const now = performance.now()
    t.strictSame(await reader.read(now + 60_000), [], 'but not by a reader who did not read')
    for (let at = 61_000; at < 75_000; at += 1000) t.strictSame(await reader.read(now + at), [])
    t.equal(await reader.read(now + 75_500), 'everybody')
  })

  t.test('may all have expired', async t => {
    await databaseOf(app).collection('nudges').deleteMany({})
    const reader = await reading()
    t.strictSame(await reader.read(), [])
  })

  t.test('are sent until the database confirms them, and at the end', async t => {
    const reader = await reading()
    let failures = 2
    const failing = {
      ...nudges,
      send: (sent: Parameters<typeof nudges.send>[0]) => (failures-- > 0 ? Promise.reject(new Error()) : nudges.send(sent))
    }
    const nudger = new Nudger(failing)
    nudger.note([1])
    nudger.note([2])
    await until(async () => (await reader.read()).length > 0)
    nudger.note(range(50_001))
    await nudger.close()
    t.equal((await reader.read()).length, 50_001)

    failures = 1
    const ending = new Nudger(failing)
    ending.note([7])
    await until(() => failures === 0)
    await ending.close()
    await new Nudger(nudges).close()
    t.strictSame(await reader.read(), [7])
  })
})
