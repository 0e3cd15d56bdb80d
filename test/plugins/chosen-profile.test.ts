import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { ChosenProfiles } from '../../src/identity/chosen-profiles.js'
import { Outage } from '../../src/overload/outage.js'
import { beginErasure, removeUser } from '../../src/privacy/erase.js'
import { minutes } from '../../src/time.js'
import { type Answer, assertFailure, unauthenticated } from '../helpers/answers.js'
import { type App, build, providerUser, signIn } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { issuer, providerToken, providerSettings as settings } from '../helpers/provider.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'

const contents = [film(1, { min_age: 0 }), film(2, { min_age: 12 }), film(3)]
const header = 'viewer-profile'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A user of the provider, and what the app asks for one of the profiles. */
const accountOf = async (app: App, sub: string) => {
  const headers = { authorization: `Bearer ${await providerToken(sub)}` }
  const as =
    (profile?: number | string, to = app) =>
    (method: Method, url: string, payload?: object) =>
      to.inject({
        method,
        url,
        headers: { ...headers, ...(profile !== undefined && { [header]: String(profile) }) },
        ...(payload && { payload })
      })
  const add = async (profile: object) =>
    Number(
      String((await as()('POST', '/profiles', profile)).headers.location)
        .split('/')
        .pop()
    )
  return { id: await providerUser(app, issuer, sub), as, add }
}

const assertForbidden = (t: Test, answer: Answer, what: string) => assertFailure(t, answer, 403, what, 'Forbidden')
const idsOf = (answer: Answer) => answer.json().data.collection.map(({ id }: { id: number }) => id)
const totalOf = (answer: Answer) => answer.json().data.meta.total_count

t.test('the profile that a header names', async t => {
  const url = await seededUrl(t, { contents })
  const [app, other] = [await build(t, { url, settings }), await build(t, { url, settings })]
  const ada = await accountOf(app, 'ada')
  const child = await ada.add({ name: 'Child', max_age: 6, pin: '4071' })

  t.test('is the viewer in every respect', async t => {
    const asChild = ada.as(child)
    t.match((await asChild('GET', '/me')).json().data, { id: child, name: 'Child', account_id: ada.id })
    t.equal((await asChild('POST', '/history', { content_id: 1, percentage: 20 })).statusCode, 201)
    t.equal((await asChild('POST', '/history', { content_id: 2 })).statusCode, 400)
    t.equal((await asChild('POST', '/history/batch', { reports: [{ content_id: 3 }] })).json().data.saved, 0)
    t.equal((await asChild('PUT', '/hidden/1')).statusCode, 200)
    t.equal(totalOf(await asChild('GET', '/history')), 1)
    t.equal(totalOf(await ada.as()('GET', '/history')), 0)
    t.equal(totalOf(await ada.as(ada.id)('GET', '/hidden')), 0, 'the id of the account is its first profile')
    t.strictSame((await ada.as(ada.id)('GET', '/me')).json(), (await ada.as()('GET', '/me')).json())
    const list = (await asChild('GET', '/profiles')).json().data
    t.match(list, [
      { id: ada.id, first: true },
      { id: child, max_age: 6, has_pin: true }
    ])

    for (const [who, ids, scope] of [
      [child, [1], 'private'],
      [ada.id, [1, 2, 3], 'public']
    ] as const) {
      const answer = await ada.as(who)('GET', '/contents?order_by=created_at&order_direction=ASC')
      t.strictSame(idsOf(answer), ids)
      t.equal(answer.headers['cache-control'], `${scope}, no-cache`)
      t.strictSame(String(answer.headers.vary).split(', '), ['Authorization', 'Viewer-Profile'])
    }
  })

  t.test('may not do what belongs to the account if it has a limit', async t => {
    const calls: [Method, string, object?][] = [
      ['POST', '/profiles', { name: 'Another' }],
      ['PUT', `/profiles/${child}`, { max_age: null }],
      ['DELETE', `/profiles/${child}`],
      ['GET', '/me/export']
    ]
    for (const [method, url, payload] of calls) assertForbidden(t, await ada.as(child)(method, url, payload), `${method} ${url}`)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const)
      assertFailure(t, await ada.as()(method, `/profiles/${child}/token`, {}), 404, method)
  })

  t.test('has to be one of the account', async t => {
    const bo = await accountOf(app, 'bo')
    const theirs = await bo.add({ name: 'Theirs' })
    const wrong = [bo.id, theirs, 999_999, 0, -1, 'x', '', '1.0', `${child}.0`, `0${child}`, `${child}, ${child}`, '9'.repeat(30)]
    for (const id of wrong) {
      for (const path of ['/history', '/contents', '/home', '/me', '/recommendations', '/profiles', '/legal'])
        assertForbidden(t, await ada.as(id)('GET', path), `${path} ${id}`)
      assertForbidden(t, await ada.as(id)('DELETE', '/history'), `DELETE /history ${id}`)
    }
    t.equal((await bo.as(theirs)('GET', '/history')).statusCode, 200)
    t.equal((await ada.as(theirs)('GET', '/health')).statusCode, 200)
    t.equal((await ada.as(theirs)('GET', '/openapi.json')).statusCode, 200)
    assertFailure(t, await ada.as(theirs)('GET', '/nothing'), 404, 'an unknown path')
  })

  t.test('counts for nothing without a valid token', async t => {
    for (const authorization of [undefined, 'Bearer nonsense', `Bearer ${await providerToken('ada', -10)}`]) {
      const headers = { [header]: '999999', ...(authorization && { authorization }) }
      t.strictSame(idsOf(await app.inject({ url: '/contents', headers })).sort(), [1, 2, 3], `${authorization}`)
      t.equal((await app.inject({ url: '/history', headers })).body, unauthenticated, `${authorization}`)
    }
  })

  t.test('changes and ends within 2 s, in every process', async t => {
    const second = await ada.add({ name: 'Second', max_age: 0 })
    const [here, there] = [ada.as(second), ada.as(second, other)]
    const statusOf = async (ask: typeof here, id: number) => (await ask('GET', `/contents/${id}`)).statusCode
    for (const ask of [here, there]) t.equal(await statusOf(ask, 2), 404)
    await ada.as()('PUT', `/profiles/${second}`, { max_age: 12 })
    t.equal(await statusOf(here, 2), 200, 'the new limit applies at once')
    await until(async () => (await statusOf(there, 2)) === 200, { within: 2000 })
    await ada
      .as()('PUT', `/profiles/${ada.id}`, { max_age: 6 })
      .then(answer => assertFailure(t, answer, 400, 'one profile has to stay without a limit'))
    await ada.as()('PUT', `/profiles/${second}`, { max_age: null })
    await until(async () => (await statusOf(there, 3)) === 200, { within: 2000 })
    await here('PUT', `/profiles/${ada.id}`, { max_age: 6 })
    for (const id of [undefined, ada.id]) {
      t.equal(await statusOf(ada.as(id), 2), 404, 'the first profile may have a limit as well')
      await until(async () => (await statusOf(ada.as(id, other), 2)) === 404, { within: 2000 })
    }
    assertForbidden(t, await ada.as()('DELETE', `/profiles/${second}`), 'with a limit it may not delete others')
    t.equal((await here('PUT', `/profiles/${ada.id}`, { max_age: null })).statusCode, 200)

    await here('POST', '/history', { content_id: 1 })
    t.equal((await ada.as()('DELETE', `/profiles/${second}`)).statusCode, 200)
    assertForbidden(t, await here('GET', '/history'), 'a deleted profile')
    await until(async () => (await there('GET', '/contents')).statusCode === 403, { within: 2000 })
    t.equal(await databaseOf(app).collection('history').countDocuments({ user_id: second }), 0)
  })

  t.test('shares the rate limit of the account', async t => {
    const limited = await build(t, { url, settings: { ...settings, RATE_LIMIT: '3' } })
    const statuses: number[] = []
    for (const id of [child, ada.id, undefined, 999, child]) statuses.push((await ada.as(id, limited)('GET', '/profiles')).statusCode)
    t.strictSame(statuses, [200, 200, 200, 429, 429])
  })

  t.test('goes with the account', async t => {
    const cy = await accountOf(app, 'cy')
    const theirs = await cy.add({ name: 'Child' })
    await cy.as(theirs)('POST', '/history', { content_id: 1 })
    await beginErasure(app.data, cy.id)
    await removeUser(app.data, cy.id)
    await until(async () => (await cy.as(theirs)('GET', '/history')).statusCode === 401, { within: 2000 })
    const of = { $in: [cy.id, theirs] }
    t.equal(await databaseOf(app).collection('history').countDocuments({ user_id: of }), 0)
    t.equal(
      await databaseOf(app)
        .collection('users')
        .countDocuments({ _id: of as never }),
      0
    )
    const authorization = `Bearer ${await providerToken('cy', 300, -3)}`
    t.equal(
      (await app.inject({ url: '/history', headers: { authorization } })).statusCode,
      200,
      'an erased user who comes back is a new user'
    )
    assertForbidden(
      t,
      await app.inject({ url: '/history', headers: { authorization, [header]: String(theirs) } }),
      'without the former profiles'
    )
  })

  t.test('is that of nobody once the account is gone', async t => {
    const dee = await accountOf(app, 'dee')
    assertFailure(t, await dee.as()('GET', '/nothing'), 404, 'the token is valid')
    await app.data.users.remove(dee.id)
    t.equal((await dee.as()('GET', '/history')).body, unauthenticated)
    assertForbidden(t, await dee.as(dee.id)('GET', '/history'), 'named in the header')
  })
})

t.test('while the database is away', async t => {
  const proxy = await proxyTo(t, await seededUrl(t, { contents }))
  const app = await build(t, { url: proxy.url, settings: { ...settings, DATABASE_TIMEOUT: '500' } })
  const ada = await accountOf(app, 'ada')
  const [child, unknown] = [await ada.add({ name: 'Child', max_age: 6 }), await ada.add({ name: 'Unknown', max_age: 6 })]
  t.strictSame(idsOf(await ada.as(child)('GET', '/contents')), [1])
  await ada.as()('GET', '/contents')
  proxy.leave()

  t.test('no answer is public once a limit may have changed unnoticed', async t => {
    const now = performance.now.bind(performance)
    t.teardown(() => mock.restoreAll())
    mock.method(performance, 'now', () => now() + 4000)
    for (const id of [child, undefined])
      t.equal((await ada.as(id)('GET', '/contents')).headers['cache-control'], 'private, no-cache', 'the profile was read a moment ago')
    t.equal((await app.inject('/contents')).headers['cache-control'], 'public, no-cache')
  })

  t.test('a known profile sees what is in memory, an unknown one nothing', async t => {
    t.strictSame(idsOf(await ada.as(child)('GET', '/contents')), [1])
    t.equal(idsOf(await ada.as()('GET', '/contents')).length, 3)
    const paths = ['/contents', '/contents/2', '/home', '/history', '/recommendations']
    for (const answer of await Promise.all(paths.map(path => ada.as(unknown)('GET', path))))
      assertFailure(t, answer, 503, 'the unknown profile')
    t.match((await ada.as(child)('GET', '/home')).json().data.missing, ['continue_watching', 'recommended'])
  })

  t.test('also when it was known long ago, and nobody but the first waits for it', async t => {
    proxy.comeBack()
    const later = await build(t, { url: proxy.url, settings: { ...settings, DATABASE_TIMEOUT: '500' } })
    const ask = async (id?: number, path = '/contents') => ada.as(id, later)('GET', path)
    for (const id of [child, undefined]) await ask(id)
    const now = performance.now.bind(performance)
    t.teardown(() => mock.restoreAll())
    mock.method(performance, 'now', () => now() + minutes(5))
    await until(async () => (await later.inject('/contents')).statusCode === 200)
    proxy.leave()
    t.strictSame(idsOf(await ask(child)), [1])
    const began = Date.now()
    for (const id of [child, child, undefined]) {
      const answer = await ask(id)
      t.ok(idsOf(answer).length)
      t.equal(answer.headers['cache-control'], 'private, no-cache', 'a limit may have been set in the meantime')
    }
    t.ok(Date.now() - began < 400, `${Date.now() - began}`)
    assertFailure(t, await ask(unknown), 503, 'the unknown profile stays forbidden')
    proxy.comeBack()
    await until(async () => (await ask(unknown, '/contents/1')).statusCode === 200, { within: 5000 })
    t.equal((await ask(unknown, '/contents/2')).statusCode, 404)
    await until(async () => (await ask(undefined)).headers['cache-control'] === 'public, no-cache')
  })

  t.test('but not after an hour, when nobody knows any more which limits have changed since', async t => {
    const later = await build(t, { url: proxy.url, settings: { ...settings, DATABASE_TIMEOUT: '500' } })
    const ask = async (id?: number) => ada.as(id, later)('GET', '/contents')
    for (const id of [child, undefined]) t.equal((await ask(id)).statusCode, 200)
    const now = performance.now.bind(performance)
    t.teardown(() => mock.restoreAll())
    mock.method(performance, 'now', () => now() + minutes(61))
    proxy.leave()
    for (const id of [child, undefined, child, undefined]) assertFailure(t, await ask(id), 503, String(id))
    t.equal((await later.inject('/contents')).statusCode, 200)
  })
})

t.test('profiles are read once a minute', async t => {
  const app = await build(t)
  const ada = await providerUser(app, issuer, 'ada')
  const child = Number(await app.data.profiles.add(ada, { name: 'Child', max_age: 6 }))
  let asked = 0
  const limitOf = (account: number, id: number) => {
    asked++
    return app.data.profiles.limitOf(account, id)
  }
  const profiles = new ChosenProfiles({ limitOf }, new Outage(async () => true, new AbortController().signal))
  t.equal(profiles.known(ada, child), undefined)
  const viewer = { id: child, account: ada, maxAge: 6 }
  t.strictSame(await Promise.all(Array.from({ length: 5 }, () => profiles.lookUp(ada, child, 5000))), Array(5).fill(viewer))
  t.strictSame([profiles.known(ada, child), asked], [viewer, 1], 'one read serves all simultaneous requests')
  t.equal(await profiles.lookUp(999, child, 5000), undefined)
  t.equal(profiles.known(999, child), undefined)

  const now = performance.now()
  t.teardown(() => mock.restoreAll())
  mock.method(performance, 'now', () => now + minutes(1))
  t.equal(profiles.known(ada, child), undefined)
  await app.data.users.remove(child)
  t.equal(await profiles.lookUp(ada, child, 5000), undefined)
  const broken = new ChosenProfiles(
    { limitOf: async () => Promise.reject(new TypeError('a defect')) },
    new Outage(async () => true, new AbortController().signal)
  )
  await t.rejects(broken.lookUp(ada, child, 5000), TypeError)
})

t.test('a provider whose keys were never read', async t => {
  const url = await seededUrl(t, { contents })
  const app = await build(t, { url, settings: { ...settings, JWT_PUBLIC_KEY: '', JWT_JWKS_URL: 'http://127.0.0.1:1/keys' } })
  const authorization = `Bearer ${await providerToken('ada')}`
  const statusOf = async (headers: Record<string, string>) => (await app.inject({ url: '/contents', headers })).statusCode
  t.equal(await statusOf({ authorization }), 200)
  t.equal(await statusOf({ authorization, [header]: '7' }), 503, 'a request that names a profile may come from a child')
})

t.test('with tokens of its own, the service ignores the header', async t => {
  const app = await build(t, { url: await seededUrl(t, { contents }) })
  const headers = { ...(await signIn(app)), [header]: '999999' }
  for (const url of ['/history', '/contents', '/home']) t.equal((await app.inject({ url, headers })).statusCode, 200, url)
  t.notMatch((await app.inject({ url: '/contents', headers })).headers.vary, /profile/i)
})
