import t, { type Test } from 'tap'
import { sessionsPerUser } from '../../src/identity/session-ends.js'
import type { Answer } from '../helpers/answers.js'
import { type App, addUser, beginSession, build, buildWith, providerUser } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { deviceOf, profileOf } from '../helpers/devices.js'
import { content, episode, film, person, programme, rail, railCollection, supportText, term } from '../helpers/documents.js'
import { committedText, dereferenced, endless, type Operation } from '../helpers/openapi.js'
import { issuer, providerSettings, providerToken } from '../helpers/provider.js'
import { until } from '../helpers/until.js'
import { counted, crowdOf, firstOfCrowd, taught, views } from '../recommendations/helper.js'

const document = dereferenced(JSON.parse(await committedText()))
const limit = 6

/** Names and ids that appear in no answer by chance. */
const forbidden = {
  name: 'Forbidden title',
  handler_id: 'forbidden-media',
  terms: [1],
  credits: [{ person_id: 1, role: 'actor' as const }]
}
const above = [1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21].map(id => 7_000_000 + id)
const isTold = (text: string) => /(?<![\d.])70000(01|02|03|04|10|11|12|13|14|20|21)\b|forbidden (title|media)|forbidden-media/i.test(text)
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()

const seed = () => ({
  contents: [
    film(1, { min_age: 0, terms: [1] }),
    film(2, { min_age: 6, terms: [1] }),
    film(3, { min_age: 6, terms: [2] }),
    film(4, { min_age: 0, terms: [2] }),
    content(20, { min_age: 6 }),
    episode(21, 20, { position: 1 }),
    episode(22, 20, { position: 2 }),
    film(7_000_001, { ...forbidden, min_age: 7, weight: 9 }),
    film(7_000_002, { ...forbidden, min_age: 12 }),
    film(7_000_003, { ...forbidden, min_age: 21 }),
    film(7_000_004, { ...forbidden, weight: 8 }),
    content(7_000_010, { ...forbidden, min_age: 16 }),
    // The age of its show counts, whatever an episode or a season says of itself.
    episode(7_000_011, 7_000_010, { ...forbidden, position: 1, min_age: 6 }),
    episode(7_000_012, 7_000_010, { ...forbidden, position: 2 }),
    content(7_000_013, { ...forbidden, type: 'season', parent_id: 7_000_010, position: 3, min_age: 0 }),
    episode(7_000_014, 7_000_013, { ...forbidden, min_age: 0 }),
    // So does that of its season.
    content(7_000_020, { ...forbidden, type: 'season', parent_id: 20, position: 3, min_age: 18 }),
    episode(7_000_021, 7_000_020, { ...forbidden, min_age: 6 })
  ],
  terms: [term(1), term(2)],
  people: [person(1, 'Ines Halvorsen')],
  rail_collections: [
    railCollection(1, { type: 'film' }, { rails: [rail(1, { type: 'film' }), rail(2, { type: 'film', search: 'forbidden' })] })
  ],
  support_texts: [supportText(1, 'en')],
  programmes: [
    programme(1, 1, hours(-1), hours(1)),
    programme(2, 7_000_001, hours(1), hours(2)),
    programme(3, 7_000_002, hours(-1), hours(1), { channel: 'two' }),
    programme(4, 2, hours(1), hours(2), { channel: 'two' }),
    programme(5, 7_000_014, hours(-1), hours(2), { channel: 'three' }),
    programme(6, 7_000_021, hours(-1), hours(2), { channel: 'four' })
  ]
})

/** What was watched, saved and hidden before there was a limit. */
const fill = async ({ data }: App, user: number) => {
  await data.reports.putAll(
    user,
    [1, 7_000_001, 7_000_011, 7_000_014, 21].map(content_id => ({ content_id, progress: { percentage: 95 } }))
  )
  for (const content_id of [7_000_002, 7_000_021]) await data.reports.put(user, { content_id, progress: { percentage: 50 } })
  for (const id of [2, 7_000_002, 22, 7_000_003, 7_000_011, 7_000_014, 7_000_021]) await data.watchlist.add(user, id)
  for (const id of [4, 7_000_004]) await data.hidden.put(user, id)
  for (const id of [3, 7_000_003]) {
    await data.ratings.put(user, id, 'like')
    await data.preferences.put(user, id, { audio: 'de' })
  }
}

/** The headers of a user as an adult and as a child: two tokens for the same lists. */
const householdOf = async (app: App) => {
  const user = await addUser(app)
  const tokenOf = async (max_age: number | null) => {
    const { access_token } = app.signedIn({ ...user, max_age }, await beginSession(app.data, user))
    return { authorization: `Bearer ${access_token}` }
  }
  await fill(app, user._id)
  return { user: user._id, adult: await tokenOf(null), child: await tokenOf(limit) }
}

/** The same with an identity provider: one token, and a header that names a profile, which is given a limit. */
const providerHouseholdOf = async (app: App) => {
  const account = await providerUser(app, issuer, 'ada')
  const user = Number(await app.data.profiles.add(account, { name: 'Child' }))
  await fill(app, user)
  const authorization = `Bearer ${await providerToken('ada')}`
  const headers = { authorization, 'viewer-profile': String(user) }
  const restrict = () => app.inject({ method: 'PUT', url: `/profiles/${user}`, headers: { authorization }, payload: { max_age: limit } })
  return { user, headers, restrict }
}

/** What stands for each parameter of a path. One that is missing here fails the test. */
const parametersOf = async ({ data }: App, user: number): Promise<Record<string, (string | number)[]>> => {
  const first = { page: 1, perPage: 100 }
  const [history, watchlist] = [await data.history.list(user, first), await data.watchlist.list(user, first)]
  const elements = [...history.elements, ...watchlist.elements].map(({ _id }) => String(_id))
  return {
    contentId: [1, 21, 7_000_001, 7_000_004, 7_000_011, 7_000_014, 7_000_021],
    watchedVideoId: elements,
    elementId: elements,
    termId: [1],
    personId: [1],
    languageCode: ['en'],
    context: ['playback'],
    userCode: ['BBBB-BBBB'],
    profileId: [user],
    sessionId: ['0'],
    year: [new Date().getUTCFullYear()],
    file: ['contents']
  }
}

const queriesOf = (path: string, { parameters = [] }: Operation) => {
  const names = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name)
  const most = parameters.find(({ name }) => name === 'perPage')?.schema.maximum
  const ids = ['ids', 'content_id', 'parent_id'].filter(name => names.includes(name)).map(name => `${name}=${above}`)
  const search = names.includes('search') ? ['search=forbidden', 'search=media'] : []
  const items = names.includes('items') ? ['items=30&rails=30'] : []
  const watched = names.includes('watched') ? ['watched=false'] : []
  const popular = path === '/contents' ? ['order_by=popularity', 'watched=true'] : []
  const every = [...ids, ...search, ...items, ...watched, ...popular, ...(most ? [`perPage=${most}`] : [])]
  return ['', ...every]
}

const pathsOf = (path: string, parameters: Record<string, (string | number)[]>): string[] => {
  const [, name] = /\{(\w+)\}/.exec(path) ?? []
  if (name === undefined) return [path]
  const values = parameters[name]
  if (!values) throw new Error(`add the parameter ${name} of ${path} to this test`)
  return values.flatMap(value => pathsOf(path.replace(`{${name}}`, String(value)), parameters))
}

const told = ({ headers, body }: Answer) => isTold(`${JSON.stringify(headers)} ${body}`)

const operationsOf = (isWanted: (method: string) => boolean) =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => isWanted(method) && path !== endless)
      .map(([method, operation]) => ({ method: method.toUpperCase() as 'GET', path, operation }))
  )

/** The reads that name what is above the limit. */
const tellingReads = async (app: App, user: number, headers: Record<string, string>) => {
  const parameters = await parametersOf(app, user)
  const telling: string[] = []
  for (const { path, operation } of operationsOf(method => method === 'get')) {
    for (const one of pathsOf(path, parameters)) {
      for (const query of queriesOf(path, operation)) {
        const url = query ? `${one}?${query}` : one
        if (told(await app.inject({ url, headers }))) telling.push(`${path}${query && `?${query.split('=')[0]}`}`)
      }
    }
  }
  return [...new Set(telling)]
}

t.test('a viewer with a limit is told of nothing above it', async t => {
  const app = await buildWith(t, seed())
  const { user, adult, child } = await householdOf(app)
  await views(app, crowdOf([1, 2, 3, 7_000_001, 7_000_002, 7_000_003], 3, firstOfCrowd))
  await taught(app)

  t.test('by any read', async t => {
    await assertAllTold(t, app, user, adult)
    t.strictSame(await tellingReads(app, user, child), [])
  })

  t.test('by changes, whose cursor is good for one limit', async t => {
    const ask = async (headers: Record<string, string>, since: string) =>
      (await app.inject({ url: `/changes?since=${since}`, headers })).json().data
    const first = await ask(adult, 'none')
    const asChild = await ask(child, first.cursor)
    t.ok(asChild.reset, 'a copy without a limit is reset')
    t.strictSame(asChild.history.map(({ content_id }: { content_id: number }) => content_id).sort(), [1, 21])
    t.notOk((await ask(child, asChild.cursor)).reset)
    t.ok((await ask(adult, asChild.cursor)).reset, 'so is a copy with a limit, because it lacks elements')
  })

  await assertRestIsSeen(t, app, child)
  await assertToldByNoWrite(t, app, user, child)

  t.test('nor is one whom a header names, with a token of an identity provider', async t => {
    const other = await build(t, { url: app.settings.MONGO_URL, settings: providerSettings })
    await counted(other)
    const { user, headers, restrict } = await providerHouseholdOf(other)
    await assertAllTold(t, other, user, headers)
    t.equal((await restrict()).statusCode, 200)
    t.strictSame(await tellingReads(other, user, headers), [])
    await assertRestIsSeen(t, other, headers)
    await assertToldByNoWrite(t, other, user, headers)
  })
})

const assertAllTold = async (t: Test, app: App, user: number, headers: Record<string, string>) => {
  const telling = await tellingReads(app, user, headers)
  const wanted = ['/contents', '/contents/{contentId}', '/contents/{contentId}/similar', '/schedule', '/schedule/now', '/home']
  const personal = [
    '/history',
    '/history/{watchedVideoId}',
    '/watchlist',
    '/watchlist/{elementId}',
    '/hidden',
    '/ratings',
    '/changes',
    '/plays'
  ]
  for (const path of [
    ...wanted,
    ...personal,
    '/recommendations',
    '/continue-watching',
    '/contents?search',
    '/contents?ids',
    '/contents?watched',
    '/me/years/{year}'
  ])
    t.ok(telling.includes(path), `an adult sees ${path}`)
}

const assertToldByNoWrite = (t: Test, app: App, user: number, headers: Record<string, string>) =>
  t.test('by any write', async t => {
    const parameters = await parametersOf(app, user)
    const before = await listsOf(app, user)
    for (const { method, path } of operationsOf(method => ['post', 'put'].includes(method))) {
      // The token is still needed.
      if (path === '/logout') continue
      for (const one of pathsOf(path, parameters)) {
        for (const id of above) {
          const payload = { content_id: id, percentage: 60, rating: 'like', audio: 'en', reports: [{ content_id: id, percentage: 60 }] }
          t.notOk(told(await app.inject({ method, url: one, headers, payload })), `${method} ${one}`)
        }
      }
    }
    const isAbove = ({ content_id }: { content_id: number }) => above.includes(content_id)
    t.strictSame(
      (await listsOf(app, user)).map(list => list.filter(isAbove)),
      before.map(list => list.filter(isAbove))
    )
  })

const listsOf = async ({ data }: App, user: number) => {
  const first = { page: 1, perPage: 100 }
  const lists = await Promise.all([
    data.history.list(user, first),
    data.watchlist.list(user, first),
    data.hidden.list(user, first),
    data.ratings.list(user, first)
  ])
  return lists.map(({ elements }): { content_id: number; updated_at?: Date }[] => elements)
}

const assertRestIsSeen = (t: Test, app: App, headers: Record<string, string>) =>
  t.test('but sees everything below it', async t => {
    const get = async (url: string) => (await app.inject({ url, headers })).json().data
    const page = async (url: string) => {
      const { collection, meta } = await get(url)
      return [collection.map(({ id, content }: { id: number; content?: { id: number } }) => content?.id ?? id), meta.total_count]
    }
    t.strictSame(await page('/contents?order_by=created_at&order_direction=ASC'), [[1, 2, 3, 4, 20, 21, 22], 7])
    t.strictSame(await page('/contents?perPage=2&page=4&order_by=created_at&order_direction=ASC'), [[22], 7], 'also in totals')
    t.strictSame(await page('/history?perPage=1&page=2'), [[1], 2])
    t.strictSame(await page('/history?content_id=7000001,21,1'), [[21, 1], 2])
    t.strictSame(await page('/watchlist'), [[22, 2], 2])
    t.strictSame(await page('/hidden'), [[4], 1])
    t.strictSame(await page('/ratings'), [[3], 1])
    t.strictSame(await page('/continue-watching'), [[22], 1])
    t.strictSame(await page('/schedule'), [[1, 2], 2])
    const onAir = await get('/schedule/now')
    t.match(onAir, [
      { channel: 'one', now: { content: { id: 1 } }, next: null },
      { channel: 'two', now: null, next: { content: { id: 2 } } }
    ])
    const recommended = await get('/recommendations')
    t.strictSame(recommended.map(({ id }: { id: number }) => id).sort(), [2, 3])
    t.match(recommended[0].reason, { type: 'watched', content_id: 1 }, 'because of a title below the limit')
    const { rows } = await get('/home')
    const idsOf = (kind: string) =>
      rows
        .filter((row: { kind: string }) => row.kind === kind)
        .flatMap(({ items }: { items: { content: { id: number } }[] }) => items.map(item => item.content.id))
    t.strictSame(idsOf('continue_watching'), [22])
    t.strictSame(idsOf('watchlist'), [22, 2])
    t.strictSame(idsOf('rail').sort(), [1, 2, 3, 4])
  })

type Headers = Record<string, string>
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

const inTenDays = new Date(Date.now() + 10 * 24 * 3_600_000)
const contents = [
  film(1, { min_age: 0 }),
  film(2, { min_age: 12 }),
  film(3, { min_age: 0, start_date: inTenDays }),
  content(10, { min_age: 0 }),
  content(11, { min_age: 0 }),
  content(20, { min_age: 6 }),
  episode(21, 20, { position: 1 }),
  episode(22, 20, { position: 2, min_age: 18 }),
  episode(23, 20, { position: 3 }),
  episode(24, 20, { position: 4, min_age: 18 }),
  episode(25, 20, { position: 5 })
]

/** A parent, a child with a limit, and what they send. */
const familyOf = async (app: App) => {
  const account = await addUser(app)
  const mia = await profileOf(app, account, limit)
  const [parent, child] = [await deviceOf(app, account, 'TV'), await deviceOf(app, account, 'tablet', mia)]
  const sender = (headers: Headers) => (method: Method, url: string, payload?: object) =>
    app.inject({ method, url, headers, ...(payload && { payload }) })
  return { account, mia: mia._id, parent, asParent: sender(parent.headers), asChild: sender(child.headers), sender }
}

const bearer = (answer: Answer) => ({ authorization: `Bearer ${answer.json().data.access_token}` })

t.test('a child', async t => {
  const app = await buildWith(t, { contents })
  const completed = async (user: number, ids: number[]) => {
    for (const content_id of ids) await app.data.reports.put(user, { content_id, progress: { percentage: 95 } })
  }

  t.test('who signs in to a profile again and again ends only sessions of their own', async t => {
    const { asParent, asChild, mia, account, sender } = await familyOf(app)
    const others = await Promise.all(Array.from({ length: sessionsPerUser - 2 }, () => beginSession(app.data, account)))
    const answer = await asChild('POST', `/profiles/${mia}/token`, {})
    t.equal(answer.statusCode, 200)
    t.equal((await asParent('GET', '/sessions')).json().data.length, sessionsPerUser)
    for (const { sid } of others) t.ok(await app.data.sessions.living(account._id, sid))
    t.equal((await asChild('GET', '/me')).statusCode, 401, 'the child’s only other session makes room')
    t.equal((await sender(bearer(answer))('GET', '/me')).json().data.id, mia)
  })

  t.test('of an account whose first profile has the limit ends none of the others', async t => {
    const { account, asParent, sender } = await familyOf(app)
    const tom = await profileOf(app, account)
    const grown = await deviceOf(app, account, 'phone', tom)
    t.equal((await asParent('PUT', `/profiles/${account._id}`, { max_age: limit })).statusCode, 200)
    for (let i = 0; i < sessionsPerUser - 3; i++) await beginSession(app.data, account, null, { user_id: tom._id })
    t.equal((await asParent('POST', `/profiles/${account._id}/token`, {})).statusCode, 200)
    t.equal((await sender(grown.headers)('GET', '/sessions')).json().data.length, sessionsPerUser)
  })

  t.test('who asks too often leaves the parents their requests', async t => {
    const limited = await build(t, { url: app.settings.MONGO_URL, settings: { RATE_LIMIT: '20' } })
    const { account, asParent, asChild, sender } = await familyOf(limited)
    const asTom = sender((await deviceOf(limited, account, null, await profileOf(limited, account))).headers)
    const flood = async (ask: typeof asChild) => {
      const answers = await Promise.all(Array.from({ length: 21 }, () => ask('GET', '/terms/1')))
      t.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 1)
    }
    await flood(asChild)
    t.equal((await asParent('PUT', `/profiles/${account._id}`, { max_age: limit })).statusCode, 200)
    await flood(asParent)
    t.equal((await asTom('DELETE', '/sessions?others=true')).statusCode, 200, 'also of an account whose first profile has the limit')
  })

  t.test('exceeds the limit of sessions if none of theirs can make room', async t => {
    const { account, mia } = await familyOf(app)
    const { sessions } = app.data
    await sessions.endProfile(account._id, mia)
    for (let i = 0; i < sessionsPerUser; i++) await beginSession({ sessions }, account)
    t.strictSame((await beginSession({ sessions }, account, null, { user_id: mia, inPlaceOf: [mia] })).replaced, [])
  })

  t.test('continues without what is above the limit', async t => {
    const { asChild, mia } = await familyOf(app)
    const cards = async () => (await asChild('GET', '/continue-watching')).json().data.collection
    await completed(mia, [22])
    t.strictSame(await cards(), [])
    await completed(mia, [21, 24])
    t.match(await cards(), [{ reason: 'next', content: { id: 23 } }])
    await app.data.reports.put(mia, { content_id: 22, progress: { percentage: 40 } })
    t.match(await cards(), [{ reason: 'next', content: { id: 23 } }])
  })

  t.test('is recommended nothing because of what is above the limit', async t => {
    const { asChild, asParent, mia, account } = await familyOf(app)
    const because = async (ask: typeof asChild) =>
      (await ask('GET', '/home?items=1'))
        .json()
        .data.rows.filter(({ kind }: { kind: string }) => kind === 'because')
        .map(({ because }: { because: { content_id: number } }) => because.content_id)
    for (const user of [mia, account._id]) await completed(user, [22])
    t.strictSame(await because(asParent), [20])
    t.strictSame(await because(asChild), [])
  })

  t.test('neither sees nor removes what is above the limit', async t => {
    const { asChild, mia } = await familyOf(app)
    await completed(mia, [2])
    await app.data.watchlist.add(mia, 2)
    const first = { page: 1, perPage: 1 }
    const [history] = (await app.data.history.list(mia, first)).elements
    const [saved] = (await app.data.watchlist.list(mia, first)).elements
    const unknown = { [`/history/${'0'.repeat(24)}`]: `/history/${history?._id}`, '/watchlist/99999': `/watchlist/${saved?._id}` }
    for (const [nothing, path] of Object.entries(unknown)) {
      const [one, other] = [await asChild('DELETE', nothing), await asChild('DELETE', path)]
      t.strictSame([other.statusCode, other.body], [404, one.body], path)
    }
    t.equal((await app.data.history.list(mia, first)).total, 1)
    t.equal((await app.data.watchlist.list(mia, first)).total, 1)
  })

  t.test('learns of an element of somebody else only that it is not theirs', async t => {
    const { asChild, asParent } = await familyOf(app)
    for (const content_id of [1, 2]) {
      const { headers } = await asParent('POST', '/history', { content_id, percentage: 5 })
      for (const method of ['GET', 'PUT', 'DELETE'] as const)
        t.equal((await asChild(method, String(headers.location), { percentage: 6 })).statusCode, 403, `${method} ${content_id}`)
    }
  })
})

t.test('a device is signed in as the profile that approves it', async t => {
  const app = await buildWith(t, {}, { settings: { DEVICE_URL: 'https://example.com/device' } })
  const { account, asParent, sender } = await familyOf(app)
  const tom = await profileOf(app, account)
  const approving = sender((await deviceOf(app, account, 'phone', tom)).headers)
  const ask = (payload: object) => app.inject({ method: 'POST', url: '/login/device/token', payload })
  for (const [approve, id] of [
    [approving, tom._id],
    [asParent, account._id]
  ] as const) {
    const { device_code, user_code } = (await app.inject({ method: 'POST', url: '/login/device', payload: {} })).json().data
    t.equal((await approve('POST', `/login/device/${user_code}`, { approve: true })).statusCode, 200)
    t.equal((await asParent('POST', `/login/device/${user_code}`, { approve: true })).statusCode, approve === asParent ? 200 : 404)
    t.equal((await ask({ device_code })).json().data.user.id, id)
  }
})

t.test('two profiles that remove each other leave one without a limit', async t => {
  const app = await buildWith(t, {})
  const { account, asParent, sender } = await familyOf(app)
  const [one, other] = [await profileOf(app, account), await profileOf(app, account)]
  const [asOne, asOther] = await Promise.all([one, other].map(async who => sender((await deviceOf(app, account, null, who)).headers)))
  t.equal((await asParent('PUT', `/profiles/${account._id}`, { max_age: limit })).statusCode, 200)
  await Promise.all([asOne?.('DELETE', `/profiles/${other._id}`), asOther?.('DELETE', `/profiles/${one._id}`)])
  await until(async () => (await app.data.profiles.list(account._id)).some(({ max_age = null }) => max_age === null))
})

t.test('an episode follows the age of its show, in every running server', async t => {
  const app = await buildWith(t, { contents })
  const { asChild } = await familyOf(app)
  const sees = async (id: number) => (await asChild('GET', `/contents/${id}`)).statusCode === 200
  t.ok(await sees(21))
  await change(app, 'contents', 20, { min_age: 18 })
  await until(async () => !(await sees(21)))
  t.strictSame((await asChild('GET', '/contents?parent_id=20')).json().data.collection, [])
  t.equal((await asChild('POST', '/history', { content_id: 21, percentage: 5 })).json().code, 404)
  await change(app, 'contents', 20, { min_age: 6 })
  await until(() => sees(21))
})
