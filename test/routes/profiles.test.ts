import * as bcrypt from '@node-rs/bcrypt'
import t, { type Test } from 'tap'
import { importFiles } from '../../src/import/index.js'
import type { Answer } from '../helpers/answers.js'
import { type App, addUser, build, buildWith, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'

const seed = { contents: [film(1, { min_age: 0 }), film(2, { min_age: 12 }), film(3)] }

type Send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => Promise<Answer>

interface Pair {
  access_token: string
  refresh_token: string
  user: { id: number; account_id?: number }
}

const senderOf =
  (app: App, { access_token }: Pick<Pair, 'access_token'>): Send =>
  (method, url, payload) =>
    app.inject({ method, url, headers: { authorization: `Bearer ${access_token}` }, ...(payload && { payload }) })

const pairOf = (answer: Answer): Pair => {
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json().data
}

/** An account that has signed in, and what it does with its profiles. */
const accountOf = async (app: App) => {
  const { _id, email } = await addUser(app)
  const pair = pairOf(await app.inject({ method: 'POST', url: '/login', payload: { email, password, device: 'TV' } }))
  const send = senderOf(app, pair)
  const add = async (profile: object) => {
    const answer = await send('POST', '/profiles', profile)
    if (answer.statusCode !== 201) throw new Error(answer.body)
    return Number(/^\/profiles\/(\d+)$/.exec(String(answer.headers.location))?.[1])
  }
  const switchTo = async (id: number, given: object = {}) => pairOf(await send('POST', `/profiles/${id}/token`, given))
  return { id: _id, email, pair, send, add, switchTo }
}

const listed = async (send: Send) => (await send('GET', '/profiles')).json().data
const assertStatus = (t: Test, answer: Answer, status: number, what?: string) =>
  t.equal(answer.statusCode, status, `${what} ${answer.body}`)
const assertForbidden = (t: Test, answer: Answer, what: string) =>
  t.match([answer.statusCode, answer.json()], [403, { success: false, code: 403, message: 'Forbidden' }], what)
const assertUnauthenticated = (t: Test, answer: Answer, what: string) =>
  t.strictSame([answer.statusCode, answer.json()], [401, { success: false, message: 'Unauthenticated.' }], what)

t.test('profiles', async t => {
  const app = await buildWith(t, seed)
  const other = await build(t, { url: app.settings.MONGO_URL })

  t.test('are viewers of their own', async t => {
    const account = await accountOf(app)
    const first = { id: account.id, name: 'A Viewer', max_age: null, has_pin: false, first: true }
    t.strictSame(await listed(account.send), [first])
    const mia = await account.add({ name: 'Mia', max_age: 6 })
    const tom = await account.add({ name: ' Tom ', pin: '0815', id: 1, first: true })
    const all = [
      first,
      { id: mia, name: 'Mia', max_age: 6, has_pin: false, first: false },
      { id: tom, name: ' Tom ', max_age: null, has_pin: true, first: false }
    ]
    t.strictSame(await listed(account.send), all)

    const pair = await account.switchTo(mia)
    t.strictSame(pair.user, { id: mia, email: '', name: 'Mia', account_id: account.id })
    assertStatus(t, await account.send('POST', `/profiles/${mia}/token`), 200, 'without a body')
    const send = senderOf(app, pair)
    t.strictSame(await listed(send), all, 'a child may list the profiles')
    t.strictSame((await send('GET', '/me')).json().data, { id: mia, email: '', name: 'Mia', account_id: account.id })
    t.match(JSON.parse(atob(pair.access_token.split('.')[1] as string)), { sub: String(mia), acc: String(account.id) })
    assertStatus(t, await send('POST', '/history', { content_id: 1, percentage: 20 }), 201)
    t.equal((await send('GET', '/history')).json().data.meta.total_count, 1)
    t.equal((await account.send('GET', '/history')).json().data.meta.total_count, 0, 'each profile has its own history')
    assertStatus(t, await send('POST', '/watchlist', { content_id: 2 }), 400)
    const contents = await send('GET', '/contents')
    t.strictSame(
      contents.json().data.collection.map(({ id }: { id: number }) => id),
      [1]
    )
    t.match(contents.headers, { 'cache-control': 'private, no-cache', etag: /./, vary: /\bAuthorization\b/ })

    const renewed = pairOf(await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token: pair.refresh_token } }))
    t.strictSame(renewed.user, pair.user, 'a refresh keeps the profile')
    t.equal((await senderOf(app, renewed)('GET', '/history')).json().data.meta.total_count, 1)
    assertStatus(t, await senderOf(app, renewed)('GET', '/contents/2'), 404, 'and its limit')

    const sessions = (await account.send('GET', '/sessions')).json().data
    t.strictSame(
      sessions.map(({ device }: { device: string }) => device),
      ['TV', 'TV', 'TV'],
      'the sessions belong to the account'
    )
    await databaseOf(app)
      .collection('sessions')
      .updateMany({ account_id: account.id }, { $unset: { device: '' } })
    assertStatus(t, await account.send('POST', `/profiles/${mia}/token`), 200, 'from a session without a device')
  })

  t.test('are at most eight, also when many are added at once', async t => {
    const account = await accountOf(app)
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => account.send('POST', '/profiles', { name: `${i}` })))
    t.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 7)
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 201))
      t.match([answer.statusCode, answer.json()], [400, { success: false, code: 400, message: /maximum number of profiles/ }])
    const profiles = await listed(account.send)
    t.equal(profiles.length, 8)
    assertStatus(t, await account.send('DELETE', `/profiles/${profiles[3].id}`), 200)
    await account.add({ name: 'Again' })
    assertStatus(t, await account.send('POST', '/profiles', { name: 'Ninth' }), 400)
  })

  t.test('refuse bad input', async t => {
    const account = await accountOf(app)
    const mia = await account.add({ name: 'Mia' })
    const bad: [object, string][] = [
      ...['', ' ', 'x'.repeat(101), 5, null].map((name): [object, string] => [{ name }, 'name']),
      ...[-1, 22, 1.5, '6', [6], true].map((max_age): [object, string] => [{ name: 'x', max_age }, 'max_age']),
      ...['abcd', '123', '123456789', '12 4', '١٢٣٤', '', 1234].map((pin): [object, string] => [{ name: 'x', pin }, 'pin'])
    ]
    for (const [body, field] of bad) {
      for (const answer of [await account.send('POST', '/profiles', body), await account.send('PUT', `/profiles/${mia}`, body)])
        t.match([answer.statusCode, answer.json()], [400, { success: false, code: 400, errors: [{ field }] }], JSON.stringify(body))
    }
    assertStatus(t, await account.send('POST', '/profiles', {}), 400)
    assertStatus(t, await account.send('PUT', `/profiles/${mia}`, {}), 200, 'no change at all')
    for (const id of ['0', '-1', 'x', '99999999', '99999999999999999999', '1.0', ''])
      for (const [method, url] of [
        ['PUT', ''],
        ['DELETE', ''],
        ['POST', '/token']
      ] as const)
        assertStatus(t, await account.send(method, `/profiles/${id}${url}`, {}), 404, `${method} ${id}`)
    t.strictSame((await listed(account.send)).length, 2)
  })

  t.test('of another account are forbidden', async t => {
    const [mine, theirs] = [await accountOf(app), await accountOf(app)]
    const child = await theirs.add({ name: 'Their child', max_age: 6 })
    for (const id of [theirs.id, child]) {
      assertForbidden(t, await mine.send('PUT', `/profiles/${id}`, { name: 'Mine' }), 'PUT')
      assertForbidden(t, await mine.send('DELETE', `/profiles/${id}`), 'DELETE')
      assertForbidden(t, await mine.send('POST', `/profiles/${id}/token`, {}), 'token')
    }
    t.match(await listed(theirs.send), [{ name: 'A Viewer' }, { name: 'Their child' }])
    for (const [method, url] of [
      ['GET', ''],
      ['POST', ''],
      ['PUT', `/${child}`],
      ['DELETE', `/${child}`],
      ['POST', `/${child}/token`]
    ] as const)
      assertUnauthenticated(
        t,
        await app.inject({ method, url: `/profiles${url}`, ...(method === 'POST' && { payload: {} }) }),
        `${method} without a token`
      )
  })

  await pins(t, app)
  await children(t, app)
  await changes(t, app, other)
  await accounts(t, app, other)
  await imports(t, app, other)

  t.test('do not all get a limit, also when two get one at once', async t => {
    const account = await accountOf(app)
    const second = await account.add({ name: 'Second' })
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([account.id, second].map(id => account.send('PUT', `/profiles/${id}`, { max_age: 12 })))
      t.ok(
        answers.some(({ statusCode }) => statusCode === 400),
        `${answers.map(({ statusCode }) => statusCode)}`
      )
      const profiles = await app.data.profiles.list(account.id)
      t.ok(
        profiles.some(({ max_age = null }) => max_age === null),
        'one profile without a limit is left'
      )
      for (const { _id } of profiles) await app.data.profiles.change(account.id, _id, { max_age: null })
      await app.revocations.refresh()
    }
  })
})

const imports = (t: Test, app: App, other: App) =>
  t.test('are changed by an import, too', async t => {
    const account = await accountOf(app)
    const child = await account.add({ name: 'Child', max_age: 6 })
    const send = senderOf(other, await account.switchTo(child))
    const importUsers = (...users: object[]) =>
      importFiles(databaseOf(app), { 'users.ndjson': users.map(user => JSON.stringify(user)).join('\n') })
    assertStatus(t, await send('GET', '/contents/2'), 404)
    await importUsers({ id: child, account_id: account.id, name: 'Child', max_age: 12 })
    await until(async () => (await send('GET', '/contents/2')).statusCode === 200, { within: 2000 })

    const id = child + 1000
    const pin_hash = bcrypt.hashSync('4071', 4)
    await importUsers({ id, account_id: account.id, name: 'Second', pin_hash })
    assertUnauthenticated(t, await account.send('POST', `/profiles/${id}/token`, { pin: '4072' }), 'a wrong PIN')
    t.equal((await account.switchTo(id, { pin: '4071' })).user.id, id)
    t.match((await app.data.users.byId(id))?.pin_hash, /^\$argon2id\$/, 'the PIN is stored like a new one')
    t.equal((await account.switchTo(id, { pin: '4071' })).user.id, id)
    t.equal((await account.add({ name: 'Third' })) > id, true, 'later ids are higher')
  })

const pins = (t: Test, app: App) =>
  t.test('with a PIN always take it', async t => {
    const account = await accountOf(app)
    const [open, locked, child] = [
      await account.add({ name: 'Open' }),
      await account.add({ name: 'Locked', pin: '4071' }),
      await account.add({ name: 'Child', max_age: 6 })
    ]
    const stored = await databaseOf(app)
      .collection('users')
      .findOne({ _id: locked as never })
    t.match(stored?.pin_hash, /^\$argon2id\$/)
    const small = senderOf(app, await account.switchTo(child))
    for (const send of [account.send, small]) {
      for (const given of [{}, { pin: '4072' }, { pin: '' }, { password }])
        assertUnauthenticated(t, await send('POST', `/profiles/${locked}/token`, given), JSON.stringify(given))
      t.equal(pairOf(await send('POST', `/profiles/${locked}/token`, { pin: '4071' })).user.id, locked)
    }

    for (const given of [{}, { password: 'wrong' }, { pin: '4071' }])
      assertUnauthenticated(t, await small('POST', `/profiles/${open}/token`, given), `without a limit ${JSON.stringify(given)}`)
    t.equal(pairOf(await small('POST', `/profiles/${open}/token`, { password })).user.id, open, 'or with the password')
    t.equal(pairOf(await small('POST', `/profiles/${child}/token`, {})).user.id, child, 'a limit that is no wider needs neither')

    assertStatus(t, await account.send('PUT', `/profiles/${locked}`, { pin: '00000000' }), 200)
    assertUnauthenticated(t, await account.send('POST', `/profiles/${locked}/token`, { pin: '4071' }), 'the old PIN')
    await account.switchTo(locked, { pin: '00000000' })
    assertStatus(t, await account.send('PUT', `/profiles/${locked}`, { pin: null }), 200)
    t.equal((await account.switchTo(locked)).user.id, locked)

    assertStatus(t, await account.send('PUT', `/profiles/${locked}`, { pin: '1234' }), 200)
    const guesses: number[] = []
    for (let i = 0; i < 12; i++) guesses.push((await small('POST', `/profiles/${locked}/token`, { pin: `${5000 + i}` })).statusCode)
    t.strictSame(guesses.slice(-2), [429, 429], `${guesses}`)
    assertStatus(t, await small('POST', `/profiles/${locked}/token`, { pin: '1234' }), 429, 'even with the correct PIN')
    assertStatus(t, await app.inject({ method: 'POST', url: '/login', payload: { email: account.email, password } }), 200)
  })

const children = (t: Test, app: App) =>
  t.test('with a limit may not do what belongs to the account', async t => {
    const account = await accountOf(app)
    const child = await account.add({ name: 'Child', max_age: 6 })
    const send = senderOf(app, await account.switchTo(child))
    const [session] = (await account.send('GET', '/sessions')).json().data
    const calls: [Parameters<Send>[0], string, object?][] = [
      ['POST', '/profiles', { name: 'Another' }],
      ['PUT', `/profiles/${child}`, { max_age: null }],
      ['DELETE', `/profiles/${child}`],
      ['GET', '/sessions'],
      ['DELETE', '/sessions'],
      ['DELETE', `/sessions/${session.id}`],
      ['GET', '/login/device/BBBB-BBBB'],
      ['POST', '/login/device/BBBB-BBBB', { approve: true }],
      ['PUT', '/me/password', { password, new_password: 'staple battery' }],
      ['GET', '/me/export'],
      ['DELETE', '/me', { password }]
    ]
    for (const [method, url, payload] of calls) assertForbidden(t, await send(method, url, payload), `${method} ${url}`)
    t.strictSame((await listed(account.send)).length, 2)
    assertStatus(t, await send('POST', '/logout'), 200, 'except signing out')
    assertUnauthenticated(t, await send('GET', '/history'), 'after the sign-out')
    assertStatus(t, await account.send('GET', '/history'), 200)
  })

const changes = (t: Test, app: App, other: App) =>
  t.test('change for living tokens, in every process', async t => {
    const account = await accountOf(app)
    const child = await account.add({ name: 'Child', max_age: 6 })
    const pair = await account.switchTo(child)
    const [here, there] = [senderOf(app, pair), senderOf(other, pair)]
    const statusOf = async (send: Send, id: number) => (await send('GET', `/contents/${id}`)).statusCode
    t.equal(await statusOf(here, 2), 404)
    assertStatus(t, await account.send('PUT', `/profiles/${child}`, { max_age: 12 }), 200)
    t.equal(await statusOf(here, 2), 200, 'the new limit applies at once')
    await until(async () => (await statusOf(there, 2)) === 200, { within: 2000 })
    t.equal(await statusOf(there, 3), 404)
    assertStatus(t, await account.send('PUT', `/profiles/${child}`, { max_age: null }), 200)
    await until(async () => (await statusOf(there, 3)) === 200, { within: 2000 })
    assertStatus(t, await there('GET', '/sessions'), 200)
    assertStatus(t, await account.send('PUT', `/profiles/${child}`, { max_age: 0, name: 'Little one' }), 200)
    await until(async () => (await statusOf(there, 2)) === 404, { within: 2000 })
    t.match(await listed(account.send), [{}, { name: 'Little one', max_age: 0 }])

    const refused = await account.send('PUT', `/profiles/${account.id}`, { max_age: 16 })
    t.match([refused.statusCode, refused.json()], [400, { errors: [{ field: 'max_age' }] }], 'one profile has to stay without a limit')
    const second = await account.add({ name: 'Second' })
    assertStatus(t, await account.send('PUT', `/profiles/${account.id}`, { max_age: 16 }), 200)
    const wide = senderOf(app, await senderOf(app, account.pair)('POST', `/profiles/${second}/token`, { password }).then(pairOf))
    assertStatus(t, await wide('DELETE', `/profiles/${second}`), 400, 'the last profile without a limit')
    assertStatus(t, await wide('PUT', `/profiles/${account.id}`, { max_age: null }), 200)

    assertStatus(t, await account.send('DELETE', `/profiles/${account.id}`), 400, 'the first profile stays')
    await here('POST', '/history', { content_id: 1 })
    assertStatus(t, await account.send('DELETE', `/profiles/${child}`), 200)
    assertUnauthenticated(t, await here('GET', '/history'), 'a deleted profile')
    await until(async () => (await there('GET', '/history')).statusCode === 401, { within: 2000 })
    assertStatus(t, await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token: pair.refresh_token } }), 401)
    t.equal(await databaseOf(app).collection('history').countDocuments({ user_id: child }), 0, 'its history is removed')
    assertStatus(t, await account.send('DELETE', `/profiles/${child}`), 404)
    assertStatus(t, await account.send('POST', `/profiles/${child}/token`, {}), 404)
    assertStatus(t, await wide('DELETE', `/profiles/${second}`), 200, 'a profile may delete itself')
    assertUnauthenticated(t, await wide('GET', '/profiles'), 'after its deletion')
  })

const accounts = (t: Test, app: App, other: App) =>
  t.test('go with their account', async t => {
    const ended = await accountOf(app)
    const kept = await ended.add({ name: 'Kept' })
    const [session] = await other.data.sessions.list(ended.id)
    await other.data.sessions.end(ended.id, String(session?._id))
    assertUnauthenticated(t, await ended.send('POST', `/profiles/${kept}/token`, {}), 'a session that another process has just ended')
    t.strictSame(await app.data.sessions.list(ended.id), [])

    const changed = await accountOf(app)
    const child = senderOf(app, await changed.switchTo(await changed.add({ name: 'Child', max_age: 6 })))
    assertStatus(t, await changed.send('PUT', '/me/password', { password, new_password: 'another password' }), 200)
    assertUnauthenticated(t, await child('GET', '/history'), 'a changed password')

    const disabled = await accountOf(app)
    const pair = await disabled.switchTo(await disabled.add({ name: 'Child', max_age: 6 }))
    await app.data.users.disable(disabled.id)
    await until(async () => (await senderOf(app, pair)('GET', '/history')).statusCode === 401, { within: 2000 })
    assertStatus(t, await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token: pair.refresh_token } }), 401)

    const erased = await accountOf(app)
    const id = await erased.add({ name: 'Child', max_age: 6 })
    const theirs = senderOf(app, await erased.switchTo(id))
    await theirs('POST', '/history', { content_id: 1 })
    await erased.send('POST', '/history', { content_id: 2 })
    const { data } = (await erased.send('GET', '/me/export')).json()
    t.match(data.users, [{ id: erased.id }, { id, name: 'Child', account_id: erased.id, max_age: 6 }])
    t.strictSame(
      data.history.map(({ user_id }: { user_id: number }) => user_id),
      [erased.id, id]
    )
    assertStatus(t, await erased.send('DELETE', '/me', { password }), 200)
    assertUnauthenticated(t, await theirs('GET', '/history'), 'an erased account')
    const of = { $in: [erased.id, id] }
    t.equal(await databaseOf(app).collection('history').countDocuments({ user_id: of }), 0)
    t.equal(
      await databaseOf(app)
        .collection('users')
        .countDocuments({ _id: of as never }),
      0
    )
  })
