import t from 'tap'
import type { ViewerError } from '../../client/index.js'
import { beginErasure, removeUser } from '../../src/privacy/erase.js'
import { providerSettings as settings, providerToken as tokenOf } from '../helpers/provider.js'
import { until } from '../helpers/until.js'
import { clientOf, createStore, errorOf, kindOf, serve } from './helper.js'

t.test('tokens of an identity provider', async t => {
  const { app, baseUrl } = await serve(t, { settings })
  /**
   * An app whose identity provider gives the first of these tokens, and the next one each time a token is refused. It keeps giving the
   * last.
   */
  const appWith = (...tokens: (string | null)[]) => {
    const given: (string | undefined)[] = []
    const ends: ViewerError[] = []
    const provider = { tokens, isAway: false, isMute: false, beforeMe: async () => {} }
    const store = createStore()
    const token = async (refused?: string) => {
      if (provider.isAway) throw new Error('no connection to the provider')
      given.push(refused)
      if (refused && provider.tokens.length > 1) provider.tokens.shift()
      return provider.tokens[0] as string | null
    }
    const muted: typeof fetch = async (request, init) => {
      if ((request as Request).url.endsWith('/me')) {
        if (provider.isMute) throw new TypeError('no connection')
        await provider.beforeMe()
      }
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
    t.ok((await client.get('/recommendations')).length > 0, 'popular titles need no token')
    t.equal(ends.length, 1)

    provider.tokens = [await tokenOf('cy')]
    t.equal((await client.get('/history')).meta.total_count, 0, 'a new token begins a new session')
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
    t.equal(count('GET /me'), 1, 'the client recognizes the subject')
    provider.tokens = [await tokenOf('fay')]
    const fay = await client.user()
    t.not(fay?.id, eve?.id)
    t.match(await client.report({ content_id: 2, time: 5 }), { state: 'sent' })
    t.match((await client.get('/history')).collection, [{ user_id: fay?.id, content_id: 2 }])
  })

  t.test('are looked up once for all calls, even if the answer about the user before comes in between', async t => {
    const { client, provider, count } = appWith(await tokenOf('wes'))
    const answers: (() => void)[] = []
    provider.beforeMe = () => new Promise(resolve => answers.push(resolve))
    const wes = client.user()
    await until(() => answers.length === 1)
    provider.tokens = [await tokenOf('xia')]
    const xia = client.user()
    await until(() => answers.length === 2)
    provider.beforeMe = async () => {}
    answers[0]?.()
    await wes
    const again = client.user()
    answers[1]?.()
    t.strictSame(await again, await xia)
    t.not((await xia)?.id, (await wes)?.id)
    t.equal(count('GET /me'), 2)
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
    t.equal(await later.unsent(), 1, 'the user is known from the store')
    provider.isAway = false
    await later.sendUnsent()
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
      'a report without a user is not kept'
    )
    t.equal(ends.length, 0)
    provider.isMute = false
    t.equal((await client.get('/history')).meta.total_count, 0)
  })

  t.test('send no reports of the previous user', async t => {
    const { client, provider } = appWith(await tokenOf('joe'))
    await client.user()
    provider.isAway = true
    await client.report({ content_id: 1, time: 5 })
    Object.assign(provider, { isAway: false, tokens: [await tokenOf('kim')] })
    await client.sendUnsent()
    t.equal((await client.get('/history')).meta.total_count, 0)
    provider.tokens = [await tokenOf('joe')]
    await client.sendUnsent()
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

  t.test('may be for any profile of the user, also after a restart', async t => {
    const { client, open, count } = appWith(await tokenOf('lea'))
    const mia = await client.addProfile({ name: 'Mia', max_age: 6 })
    const lea = await client.user()
    const user = { id: mia, email: '', name: 'Mia', account_id: lea?.id }
    t.strictSame(await client.useProfile(mia), user)
    t.strictSame([await client.user(), await client.me()], [user, user])
    t.strictSame((await client.get('/contents')).collection, [], 'none of the contents is suitable for children')
    t.match(await client.post('/watchlist', { body: { content_id: 1 } }).catch(error => error), { status: 400 })
    t.match(await client.removeProfile(mia).catch(error => error), { status: 403 })
    t.equal(count('POST /login/refresh'), 0)

    const { client: later } = open()
    t.strictSame(await later.user(), user)
    t.equal((await later.get('/contents')).collection.length, 0)
    t.strictSame(await later.useProfile(lea?.id ?? 0), lea)
    t.ok((await later.get('/contents')).collection.length > 0)
    await later.useProfile(mia)
    await later.signOut()
    t.strictSame(await later.user(), lea, 'the profile stays until a sign-out')
  })

  t.test('stay with the profile before if the other one cannot be used', async t => {
    const { client, provider } = appWith(await tokenOf('mo'))
    const mo = await client.user()
    const theirs = await appWith(await tokenOf('nia')).client.addProfile({ name: 'Theirs' })
    for (const id of [theirs, 999_999, 0]) t.match(await errorOf(client.useProfile(id)), { kind: 'refused', status: 403 }, `${id}`)
    provider.isMute = true
    t.equal(await kindOf(client.useProfile(theirs)), 'no-answer')
    provider.isMute = false
    t.strictSame(await client.user(), mo)
    provider.tokens = [null]
    t.equal(await kindOf(client.useProfile(theirs)), 'signed-out')
  })

  t.test('are renewed for the choice of a profile', async t => {
    const { client, provider, ends } = appWith(await tokenOf('oda'))
    const id = await client.addProfile({ name: 'Second' })
    provider.tokens = [await tokenOf('oda', -10), await tokenOf('oda')]
    t.match(await client.useProfile(id), { id })
    provider.tokens = [await tokenOf('oda', -10)]
    t.equal(await kindOf(client.useProfile(id)), 'session-ended')
    t.equal(await kindOf(client.useProfile(id)), 'session-ended')
    t.equal(ends.length, 1)
  })

  t.test('are renewed without undoing a choice or a sign-out made meanwhile', async t => {
    const { client, provider, store } = appWith(await tokenOf('tia'))
    const id = await client.addProfile({ name: 'Second' })
    await client.user()
    const renewedMeanwhile = async (act: () => Promise<unknown>) => {
      let proceed = () => {}
      const asked = new Promise<void>(resolve => {
        provider.beforeMe = () => {
          provider.beforeMe = async () => {}
          resolve()
          return new Promise(go => {
            proceed = go
          })
        }
      })
      provider.tokens = [await tokenOf('tia', -10), await tokenOf('tia')]
      const call = client.get('/history')
      await asked
      await act()
      proceed()
      await call
    }
    await renewedMeanwhile(() => client.useProfile(id))
    t.equal((await client.user())?.id, id)
    await renewedMeanwhile(() => client.signOut())
    t.equal(await store.load('identity'), null)
  })

  t.test('keep what a profile has reported for that profile', async t => {
    const { client, provider } = appWith(await tokenOf('pia'))
    const second = await client.addProfile({ name: 'Second' })
    const pia = await client.user()
    provider.isAway = true
    t.match(await client.report({ content_id: 1, time: 5 }), { state: 'kept' })
    provider.isAway = false
    const totalOf = async () => (await client.get('/history')).meta.total_count
    await client.useProfile(second)
    t.equal(await totalOf(), 0)
    await client.report({ content_id: 2, time: 7 })
    t.match((await client.sync()).history, [{ user_id: second, content_id: 2 }])
    await client.useProfile(pia?.id ?? 0)
    await client.sendUnsent()
    t.match((await client.get('/history')).collection, [{ user_id: pia?.id, content_id: 1 }])
    t.match((await client.sync()).history, [{ user_id: pia?.id, content_id: 1 }])

    const away = await tokenOf('quin')
    await client.useProfile(second)
    provider.tokens = [away]
    t.equal(await totalOf(), 0, 'somebody else begins without a profile')
    t.equal((await client.user())?.account_id, undefined)
  })

  t.test('send calls under way at a switch as the profile that began them', async t => {
    const { client } = appWith(await tokenOf('rio'))
    const rio = await client.user()
    const second = await client.addProfile({ name: 'Second' })
    const reports = [1, 2, 3].map(content_id => client.report({ content_id, time: 5 }))
    await Promise.all([...reports, client.useProfile(second), client.useProfile(rio?.id ?? 0), client.useProfile(second)])
    t.equal((await client.user())?.id, second, 'the last choice counts')
    t.equal((await client.get('/history')).meta.total_count, 0)
    await client.useProfile(rio?.id ?? 0)
    await client.sendUnsent()
    t.equal((await client.get('/history')).meta.total_count, 3)
  })

  t.test('go on as the first profile when the chosen one was removed', async t => {
    const { client, open } = appWith(await tokenOf('sue'))
    const sue = await client.user()
    const [second, third] = [await client.addProfile({ name: 'Second' }), await client.addProfile({ name: 'Third' })]
    await client.useProfile(second)
    await client.removeProfile(second)
    t.strictSame(await client.user(), sue)

    await client.useProfile(third)
    await appWith(await tokenOf('sue')).client.removeProfile(third)
    const { client: later } = open()
    t.match(await errorOf(later.get('/history')), { kind: 'refused', status: 403 }, 'the profile was removed elsewhere')
    t.strictSame(await later.useProfile((await later.user())?.account_id ?? 0), sue)
    t.equal((await later.get('/history')).meta.total_count, 0)
  })

  t.test('begin without a profile that was removed before they came', async t => {
    const { client, provider, store, ends } = appWith(await tokenOf('uma'))
    const uma = await client.user()
    const id = await client.addProfile({ name: 'Second' })
    const endAs = async (profile: number) => {
      await client.useProfile(profile)
      provider.tokens = [await tokenOf('uma', -10)]
      t.equal(await kindOf(client.get('/history')), 'session-ended')
      provider.tokens = [await tokenOf('uma')]
    }
    await endAs(id)
    t.equal((await client.user())?.id, id, 'an existing profile stays chosen')
    await endAs(id)
    await appWith(await tokenOf('uma')).client.removeProfile(id)
    provider.isMute = true
    t.equal(await kindOf(client.user()), 'no-answer')
    t.equal((await store.load('identity'))?.profile, id, 'this error is not about the profile')
    provider.isMute = false
    t.strictSame(await Promise.all([client.user(), client.user()]), [uma, uma])
    t.equal((await client.get('/history')).meta.total_count, 0)
    t.strictSame((await store.load('identity'))?.profile, undefined)

    const third = await client.addProfile({ name: 'Third' })
    const fourth = await client.addProfile({ name: 'Fourth' })
    await endAs(third)
    await appWith(await tokenOf('uma')).client.removeProfile(third)
    t.match(await client.useProfile(fourth), { id: fourth })
    t.equal(ends.length, 3)
  })

  t.test('are forgotten by a sign-out, whatever is under way', async t => {
    const { client, provider, store } = appWith(await tokenOf('val'))
    const signOutDuring = async <Result>(call: () => Promise<Result>) => {
      let proceed = () => {}
      let isAsked = false
      provider.beforeMe = () => {
        isAsked = true
        return new Promise(resolve => {
          proceed = resolve
        })
      }
      const called = call()
      await until(() => isAsked)
      await client.signOut()
      provider.beforeMe = async () => {}
      proceed()
      return called
    }
    t.ok((await signOutDuring(client.user))?.id)
    t.equal(await store.load('identity'), null)
    const id = await client.addProfile({ name: 'Second' })
    const val = await client.user()
    t.equal(await signOutDuring(() => kindOf(client.useProfile(id))), 'signed-out')
    t.equal(await store.load('identity'), null)
    t.strictSame(await client.user(), val)
  })

  t.test('may have any form', async t => {
    for (const token of ['x', 'a.b.c', `a.${btoa('{}')}.c`]) t.equal(await kindOf(appWith(token).client.get('/history')), 'session-ended')
  })
})
