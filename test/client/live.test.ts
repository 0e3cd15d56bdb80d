import t, { type Test } from 'tap'
import type { Client, Copy, LiveOptions } from '../../client/index.js'
import { eventsIn } from '../../client/live.js'
import { password } from '../helpers/app.js'
import { until } from '../helpers/until.js'
import { asBrowser, clientOf, gateTo, kindOf, newViewer, serve, signedIn } from './helper.js'

const { app, baseUrl } = await serve(t)

const streamPath = 'GET /changes/stream'
const isStream = (request: Request) => new URL(request.url).pathname === '/changes/stream'

/** Follows with a client, and keeps what it is told. */
const follow = async (client: Client, options: Partial<LiveOptions> = {}) => {
  const copies: Copy[] = []
  const ends: unknown[] = []
  copies.push(await client.sync({ live: true, onCopy: copy => copies.push(copy), onEnd: error => ends.push(error), ...options }))
  /** Waits until the copy has this item, watched up to this time. */
  const has = (content_id: number, time: number) =>
    until(() => Boolean(copies.at(-1)?.history.some(element => element.content_id === content_id && element.time === time)))
  return { copies, ends, has }
}

/** Two devices of a user. The second one follows. */
const devices = async (t: Test, url = baseUrl, service = app, options: Parameters<typeof clientOf>[2] = {}) => {
  const one = clientOf(t, url)
  const user = await newViewer(service, one.client)
  const other = clientOf(t, url, options)
  await other.client.signIn(user.email, password)
  return { user, client: one.client, other }
}
const watch = (client: Client, content_id: number, time: number) => client.report({ content_id, time })

/** Lets intervals and waits pass at once, and the clock go forward by hand. */
const quick = (t: Test, ...waits: number[]) => {
  const { setInterval, setTimeout } = globalThis
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  asBrowser(t, { setInterval: (work: () => void, wait: number, ...given: []) => setInterval(work, Math.min(wait, 20), ...given) })
  if (waits.length > 0)
    asBrowser(t, {
      setTimeout: (work: () => void, wait: number) => setTimeout(work, waits.some(usual => wait <= usual && wait >= usual / 2) ? 20 : wait)
    })
  return {
    pass: (milliseconds: number) => {
      Date.now = () => now() + milliseconds
    }
  }
}

t.test('the copy has what another device reports, and what it takes back', async t => {
  const { client, other } = await devices(t)
  await watch(client, 1, 10)
  const { copies, has } = await follow(other.client)
  t.match(copies, [{ history: [{ content_id: 1, time: 10 }] }])
  await watch(client, 2, 20)
  await has(2, 20)
  await client.rate(1, 'like')
  await until(() => copies.at(-1)?.ratings.length === 1)
  await client.delete('/history')
  await until(() => copies.at(-1)?.history.length === 0)
  t.strictSame(await other.client.copy(), copies.at(-1))
  t.ok(other.count(streamPath) > 0)
})

t.test('what is kept offline, and other calls, do not disturb it', async t => {
  const { client, other } = await devices(t)
  const { has } = await follow(other.client)
  for (let time = 1; time <= 5; time++) await Promise.all([watch(client, 1, time), other.client.sync(), watch(other.client, 2, time)])
  await has(1, 5)
  await has(2, 5)
  const listsOf = ({ cursor: _, ...lists }: Copy) => JSON.stringify(lists)
  const lists = listsOf(await client.sync())
  await until(async () => listsOf((await other.client.copy()) as Copy) === lists)
})

t.test('tabs that share a store follow both', async t => {
  const { store } = await signedIn(t, app, baseUrl)
  const tabs = [clientOf(t, baseUrl, { store }), clientOf(t, baseUrl, { store })]
  const [one, other] = await Promise.all(tabs.map(({ client }) => follow(client)))
  const client = tabs[0]?.client as Client
  for (let time = 1; time <= 3; time++) await watch(client, 1, time)
  await one?.has(1, 3)
  await other?.has(1, 3)
})

t.test('it begins without a connection, and goes on after the service was away', async t => {
  const { app, baseUrl, again } = await serve(t)
  const { client, other } = await devices(t, baseUrl, app)
  await app.close()
  const following = follow(other.client)
  await until(() => other.count('GET /changes') > 0)
  const next = await again()
  const { has, ends } = await following
  await watch(client, 1, 10)
  await has(1, 10)
  const before = other.count(streamPath)
  await next.app.close()
  await watch(client, 1, 20)
  await until(() => other.count(streamPath) > before)
  await next.again()
  await client.sendUnsent()
  await has(1, 20)
  t.strictSame(ends, [])
})

t.test('it goes on with a new token, and ends with the session', async t => {
  const { app, baseUrl } = await serve(t, { settings: { ACCESS_TOKEN_TTL: '2' } })
  const { client, other } = await devices(t, baseUrl, app)
  const { has, ends } = await follow(other.client)
  await until(() => other.count(streamPath) > 1)
  await watch(client, 1, 10)
  await has(1, 10)
  t.strictSame(ends, [])
  const [session] = (await other.client.sessions()).filter(({ current }) => current)
  await client.endSession(session?.id ?? '')
  await until(() => ends.length > 0)
  t.match(ends, [{ kind: 'session-ended' }])
  t.equal(await kindOf(other.client.sync({ live: true })), 'session-ended')
})

t.test('where there is no stream, it asks', async t => {
  const cases: Record<string, (request: Request, init?: RequestInit) => Promise<Response>> = {
    'since fetch has no body': async (request, init) => {
      const response = await fetch(request, init)
      await response.body?.cancel()
      return new Response(null, { headers: response.headers })
    },
    'since the service has no such path': async () => Response.json({ success: false }, { status: 404 })
  }
  for (const [why, fetchStream] of Object.entries(cases))
    t.test(why, async t => {
      quick(t, 15_000)
      const { client, other } = await devices(t, baseUrl, app, {
        fetch: (request, init) => (isStream(request) ? fetchStream(request, init) : fetch(request, init))
      })
      const { has } = await follow(other.client)
      await watch(client, 1, 10)
      await has(1, 10)
      t.equal(other.count(streamPath), 1)
    })

  t.test('since a proxy holds it back, and later tries again', async t => {
    const { pass } = quick(t, 15_000)
    let isHeld = true
    const { client, other } = await devices(t, baseUrl, app, {
      fetch: (request, init) =>
        isStream(request) && isHeld
          ? new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)))
          : fetch(request, init)
    })
    const { has } = await follow(other.client)
    await until(() => other.count(streamPath) === 1)
    pass(11_000)
    await watch(client, 1, 10)
    await has(1, 10)
    isHeld = false
    pass(330_000)
    await until(() => other.count(streamPath) > 1)
    await watch(client, 1, 20)
    await has(1, 20)
  })

  t.test('since the account has too many, and waits as long as the service says', async t => {
    let refusals = 0
    const { client, other } = await devices(t, baseUrl, app, {
      fetch: async (request, init) =>
        isStream(request) && refusals++ < 1 ? Response.json({}, { status: 429, headers: { 'retry-after': '1' } }) : fetch(request, init)
    })
    const { has } = await follow(other.client)
    await until(() => refusals === 1)
    const asked = other.count('GET /changes')
    await watch(client, 1, 10)
    await has(1, 10)
    t.ok(other.count('GET /changes') > asked)
  })
})

t.test('it comes back after a sleep, a change of network, and when the page is seen again', async t => {
  const { pass } = quick(t)
  const browser = new EventTarget()
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  asBrowser(t, { addEventListener: browser.addEventListener.bind(browser), removeEventListener: () => {}, document })
  const { client, other } = await devices(t)
  const { has } = await follow(other.client)
  await until(() => other.count(streamPath) > 0)
  await watch(client, 1, 1)
  await has(1, 1)
  const comesBack = async (after: () => void) => {
    const before = other.count(streamPath)
    after()
    await until(() => other.count(streamPath) > before)
  }
  const show = (visibilityState: string) => Object.assign(document, { visibilityState }).dispatchEvent(new Event('visibilitychange'))

  await comesBack(() => pass(46_000))
  await comesBack(() => browser.dispatchEvent(new Event('online')))
  show('hidden')
  await until(() => app.liveStreams.size === 0)
  await watch(client, 1, 2)
  await comesBack(() => show('visible'))
  await has(1, 2)
})

t.test('it ends', async t => {
  const ended = () => until(() => app.liveStreams.size === 0)
  const begun = () => until(() => app.liveStreams.size === 1)
  await ended()

  t.test('by its signal', async t => {
    const { other } = await devices(t)
    const controller = new AbortController()
    const { ends } = await follow(other.client, { signal: controller.signal })
    await begun()
    controller.abort(new Error('enough'))
    await ended()
    t.strictSame(ends, [])
    await t.rejects(other.client.sync({ live: true, signal: controller.signal }), /enough/)
  })

  t.test('with the client, before there was a copy too', async t => {
    const { other } = await devices(t)
    const following = other.client.sync({ live: true })
    other.client.close()
    await t.rejects(following, { name: 'AbortError' })
  })

  t.test('when another one begins', async t => {
    const { client, other } = await devices(t)
    const first = await follow(other.client)
    const second = await follow(other.client)
    await begun()
    await watch(client, 1, 10)
    await second.has(1, 10)
    t.equal(first.copies.length, 1)
    other.client.close()
    await ended()
  })

  t.test('with the profile, the user, or the copy', async t => {
    const { client, other } = await devices(t)
    const profile = await client.addProfile({ name: 'Mia' })
    for (const end of [() => other.client.useProfile(profile), other.client.dropCopy, other.client.signOut]) {
      const { ends } = await follow(other.client)
      await begun()
      await end()
      await ended()
      t.strictSame(ends, [])
    }
    t.equal(await kindOf(other.client.sync({ live: true })), 'signed-out')
  })

  t.test('with the copy, which stays dropped though a read of it was waiting', async t => {
    const gate = gateTo('/history')
    const { other } = await devices(t, baseUrl, app, { fetch: gate.gated })
    const reported = other.client.report({ content_id: 1, time: 10 })
    await until(() => other.count('POST /history') > 0)
    const following = other.client.sync({ live: true })
    await new Promise(setImmediate)
    const dropped = other.client.dropCopy()
    gate.open()
    await t.rejects(following, { name: 'AbortError' })
    await dropped
    t.match(await reported, { state: 'sent' })
    t.equal(other.count('GET /changes'), 0)
    t.equal(await other.client.copy(), undefined)
  })

  t.test('a hidden page does not begin a stream', async t => {
    const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
    asBrowser(t, { addEventListener: () => {}, removeEventListener: () => {}, document })
    const { client, other } = await devices(t)
    const { has } = await follow(other.client)
    await watch(client, 1, 7)
    t.equal(other.count(streamPath), 0)
    Object.assign(document, { visibilityState: 'visible' }).dispatchEvent(new Event('visibilitychange'))
    await has(1, 7)
    other.client.close()
    await ended()
  })

  t.test('when the app fails to take a copy', async t => {
    const { client, other } = await devices(t)
    const failure = new Error('the app')
    const { ends } = await follow(other.client, {
      onCopy: () => {
        throw failure
      }
    })
    await begun()
    await watch(client, 1, 10)
    await until(() => ends.length > 0)
    t.strictSame(ends, [failure])
    await ended()
  })
})

t.test('a copy that the service does not know any more is read anew', async t => {
  const { store, user } = await signedIn(t, app, baseUrl)
  let sent = ''
  const { client, count } = clientOf(t, baseUrl, {
    store,
    // The cursor ages on the way to the stream.
    fetch: async (request, init) => {
      if (!isStream(request) || sent) return fetch(request, init)
      sent = request.url
      return fetch(new Request(request.url.replace(/since=.*/, 'since=old'), request), init)
    }
  })
  const { copies, has } = await follow(client)
  await until(() => count(streamPath) > 1)
  t.ok(count('GET /changes') > 1)
  await watch(client, 1, 10)
  await has(1, 10)
  t.equal(copies.at(-1)?.isComplete, true)
  t.strictSame(await store.load(`copy-${user.id}`), copies.at(-1))
})

t.test('events are read in pieces of any size', async t => {
  const text =
    ': hello\r\n\r\nevent: changes\r\nid: 1\r\ndata: {"name":\r\ndata:"Zoë"}\r\nretry: 500\r\n\r\nevent: end\ndata\n\n:\n\nevent: cut'
  const read = async (size: number, signal = new AbortController().signal) => {
    const bytes = new TextEncoder().encode(text)
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull: controller => {
        controller.enqueue(bytes.slice(at, at + size))
        at += size
        if (at >= bytes.length) controller.close()
      }
    })
    let pieces = 0
    const events: object[] = []
    for await (const event of eventsIn(body, signal, () => pieces++)) if (event.event) events.push({ ...event })
    return { events, pieces }
  }
  for (const size of [1, 2, 3, 7, 1000]) {
    const { events, pieces } = await read(size)
    t.strictSame(events, [
      { event: 'changes', id: '1', data: '{"name":\n"Zoë"}', retry: '500' },
      { event: 'end', data: '' }
    ])
    t.ok(pieces >= 1)
  }
  t.strictSame(await read(3, AbortSignal.abort()), { events: [], pieces: 0 })
})
