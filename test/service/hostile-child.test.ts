import t from 'tap'
import { sessionsPerUser } from '../../src/data/session-ends.js'
import type { Answer } from '../helpers/answers.js'
import { type App, addUser, build, buildWith } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { deviceOf, profileOf } from '../helpers/devices.js'
import { content, episode, film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'

type Headers = Record<string, string>
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

const limit = 6
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
const idOf = (answer: Answer) => answer.json().data.collection.map(({ content_id }: { content_id: number }) => content_id)

t.test('a child', async t => {
  const app = await buildWith(t, { contents })
  const completed = async (user: number, ids: number[]) => {
    for (const content_id of ids) await app.data.reports.put(user, { content_id, progress: { percentage: 95 } })
  }

  t.test('who signs in to a profile again and again ends only sessions of their own', async t => {
    const { asParent, asChild, mia, account, sender } = await familyOf(app)
    const others = await Promise.all(Array.from({ length: sessionsPerUser - 2 }, () => app.data.sessions.begin(account)))
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
    for (let i = 0; i < sessionsPerUser - 3; i++) await app.data.sessions.begin(account, null, { profile_id: tom._id })
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
    for (let i = 0; i < sessionsPerUser; i++) await sessions.begin(account)
    t.strictSame((await sessions.begin(account, null, { profile_id: mia, inPlaceOf: [mia] })).replaced, [])
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

t.test('nobody is told of a title that begins later by hiding it', async t => {
  const app = await buildWith(t, { contents })
  const { asParent } = await familyOf(app)
  for (const id of [1, 3]) t.equal((await asParent('PUT', `/hidden/${id}`)).statusCode, 200)
  const list = await asParent('GET', '/hidden')
  t.strictSame(idOf(list), [1])
  t.equal(list.json().data.meta.total_count, 1)
  t.equal((await asParent('DELETE', '/hidden/3')).statusCode, 200)
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
