import t from 'tap'
import type { ViewerError } from '../../client/index.js'
import { beginErasure, removeUser } from '../../src/privacy/erase.js'
import { providerSettings as settings, providerToken as tokenOf } from '../helpers/provider.js'
import { until } from '../helpers/until.js'
import { clientOf, createStore, errorOf, kindOf, serve } from './helper.js'

t.test('tokens of an identity provider', async t => {
  const { app, baseUrl } = await serve(t, { settings })
  /** An app whose identity provider gives these tokens, the last one from then on. */
  const appWith = (...tokens: (string | null)[]) => {
    const given: (string | undefined)[] = []
    const ends: ViewerError[] = []
    const provider = { tokens, isAway: false, isMute: false }
    const store = createStore()
    const token = async (refused?: string) => {
      if (provider.isAway) throw new Error('no connection to the provider')
      given.push(refused)
      if (refused && provider.tokens.length > 1) provider.tokens.shift()
      return provider.tokens[0] as string | null
    }
    const muted: typeof fetch = async (request, init) => {
      if (provider.isMute && (request as Request).url.endsWith('/me')) throw new TypeError('no connection')
      return fetch(request, init)
    }
    const options = { store, token, fetch: muted, onSessionEnd: (error: ViewerError) => ends.push(error) }
    return { provider, given, ends, store, open: () => clientOf(t, baseUrl, options), ...clientOf(t, baseUrl, options) }
  }

  t.test('are sent with every call', async t => {
    const { client, count, given } = appWith(await tokenOf('ada'))
    await client.post('/watchlist', { body: { content_id: 1 } })
    t.equal((await client.get('/watchlist')).meta.total_count, 1)
    t.equal(count('POST /login/refresh'), 0)
    t.ok(given.every(refused => refused === undefined))
    t.strictSame(await client.user(), await client.me())
  })

  t.test('are asked for again after a 401, once for all calls, each of which is sent again', async t => {
    const expired = await tokenOf('bea', -10)
    const { client, count, given, ends } = appWith(expired, await tokenOf('bea'))
    await Promise.all(Array.from({ length: 10 }, () => client.get('/history')))
    t.equal(count('GET /history'), 20)
    t.strictSame(given.filter(Boolean), [expired])
    t.equal(ends.length, 0)
  })

  t.test('end where the provider has no other one: the app is told once', async t => {
    const { client, ends, provider, count } = appWith(await tokenOf('cy', -10))
    for (const kind of await Promise.all(Array.from({ length: 5 }, () => kindOf(client.get('/history'))))) t.equal(kind, 'session-ended')
    t.match(ends, [{ kind: 'session-ended' }])
    t.equal(await client.user(), undefined)
    t.equal(await kindOf(client.get('/history')), 'session-ended')
    t.ok((await client.get('/recommendations')).length > 0, 'the popular ones')
    t.equal(ends.length, 1)

    provider.tokens = [await tokenOf('cy')]
    t.equal((await client.get('/history')).meta.total_count, 0, 'a new sign-in begins a new session')
    const before = count('GET /me')
    await client.get('/history')
    t.equal(count('GET /me'), before)
    provider.tokens = [null]
    t.equal(await kindOf(client.get('/history')), 'signed-out')
  })

  t.test('end where the user is disabled, though the provider goes on giving tokens', async t => {
    const { client, ends, provider } = appWith(await tokenOf('dee'))
    const { id } = await client.me()
    provider.tokens.push(await tokenOf('dee'), await tokenOf('dee'))
    await app.data.users.disable(id)
    await until(async () => (await client.get('/history').catch(() => undefined)) === undefined)
    t.match(ends, [{ kind: 'session-ended', cause: { status: 401 } }])
    provider.tokens = [await tokenOf('dee')]
    t.equal(await kindOf(client.get('/history')), 'session-ended')
    t.equal(ends.length, 1)
  })

  t.test('belong to somebody else after another user has signed in at the provider', async t => {
    const { client, provider, count } = appWith(await tokenOf('eve'))
    const eve = await client.user()
    t.strictSame(await client.user(), eve)
    t.equal(count('GET /me'), 1, 'the same subject is the same user')
    provider.tokens = [await tokenOf('fay')]
    const fay = await client.user()
    t.not(fay?.id, eve?.id)
    t.match(await client.report({ content_id: 2, time: 5 }), { state: 'sent' })
    t.match((await client.get('/history')).collection, [{ user_id: fay?.id, content_id: 2 }])
  })

  t.test('lead to a new user after an erasure', async t => {
    const { client, provider } = appWith(await tokenOf('gil'))
    const before = await client.user()
    await beginErasure(app.data, Number(before?.id))
    await removeUser(app.data, Number(before?.id))
    await until(async () => (await client.get('/history').catch(() => undefined)) === undefined)
    // Made after the erasure, by a clock that is ahead.
    provider.tokens = [await tokenOf('gil', 300, -3)]
    await client.get('/history')
    t.not((await client.user())?.id, before?.id)
  })

  t.test('are not needed for what is kept while offline', async t => {
    const { client, provider, open, store } = appWith(await tokenOf('hal'))
    const hal = await client.user()
    provider.isAway = true
    t.match(await client.report({ content_id: 3, time: 7 }), { state: 'kept', error: { kind: 'no-answer' } })
    t.match(await errorOf(client.get('/history')), { kind: 'no-answer', cause: /no connection to the provider/ })
    client.close()
    const { client: later } = open()
    t.equal(await later.unsent(), 1, 'known from the store')
    provider.isAway = false
    await later.sendReports()
    t.match((await later.get('/history')).collection, [{ user_id: hal?.id, content_id: 3 }])

    await later.signOut()
    t.equal(await store.load('identity'), null)
    provider.isAway = true
    t.match(await later.report({ content_id: 3, time: 8 }), { state: 'refused', error: { kind: 'signed-out' } })
  })

  t.test('do not end where the service does not say whose they are', async t => {
    const { client, provider, ends } = appWith(await tokenOf('ivy', -10), await tokenOf('ivy'))
    provider.isMute = true
    t.equal(await kindOf(client.get('/history')), 'no-answer')
    t.match(
      await client.report({ content_id: 1, time: 5 }),
      { state: 'refused', error: { kind: 'signed-out' } },
      'nor is anything kept for nobody'
    )
    t.equal(ends.length, 0)
    provider.isMute = false
    t.equal((await client.get('/history')).meta.total_count, 0)
  })

  t.test('send nothing of who was there before', async t => {
    const { client, provider } = appWith(await tokenOf('joe'))
    await client.user()
    provider.isAway = true
    await client.report({ content_id: 1, time: 5 })
    Object.assign(provider, { isAway: false, tokens: [await tokenOf('kim')] })
    await client.sendReports()
    t.equal((await client.get('/history')).meta.total_count, 0)
    provider.tokens = [await tokenOf('joe')]
    await client.sendReports()
    t.equal((await client.get('/history')).meta.total_count, 1)
  })

  t.test('send nothing either where the user changes meanwhile, at whatever moment', async t => {
    const moe = await tokenOf('moe')
    for (const moment of [1, 2]) {
      const ned = await tokenOf('ned')
      let left = Number.POSITIVE_INFINITY
      const { client } = clientOf(t, baseUrl, { token: async () => (left-- > 0 ? ned : moe) })
      await client.user()
      left = moment
      t.match(await client.report({ content_id: 1, time: 5 }), { state: 'kept' })
      t.equal((await client.get('/history')).meta.total_count, 0)
      client.close()
    }
  })

  t.test('may be anything', async t => {
    for (const token of ['x', 'a.b.c', `a.${btoa('{}')}.c`]) t.equal(await kindOf(appWith(token).client.get('/history')), 'session-ended')
  })
})
