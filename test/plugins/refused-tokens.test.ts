import t from 'tap'
import { dataOf } from '../../src/data/index.js'
import { EndedSessions } from '../../src/identity/revocations.js'
import { type App, addUser, build } from '../helpers/app.js'
import { databaseOf, databaseUrl } from '../helpers/database.js'
import { turnsDuring } from '../helpers/event-loop.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'

const begin = async (app: App, user: Awaited<ReturnType<typeof addUser>>) => {
  const session = await app.data.sessions.begin(user)
  return { ...session, headers: { authorization: `Bearer ${app.signedIn(user, session).access_token}` } }
}
const isRefused = async (app: App, { headers }: { headers: Record<string, string> }) =>
  (await app.inject({ url: '/history', headers })).statusCode === 401

t.test('a session that ends in one process is refused by another within 2 s', async t => {
  const url = await databaseUrl(t)
  const [here, there] = [await build(t, { url }), await build(t, { url })]
  const user = await addUser(here)
  const { sessions, users } = here.data
  const ends: Record<string, (session: Awaited<ReturnType<typeof begin>>) => Promise<unknown>> = {
    'a logout': ({ headers }) => here.inject({ method: 'POST', url: '/logout', headers }),
    'DELETE /sessions/{sessionId}': ({ sid, headers }) => here.inject({ method: 'DELETE', url: `/sessions/${sid}`, headers }),
    'DELETE /sessions': ({ headers }) => here.inject({ method: 'DELETE', url: '/sessions', headers }),
    'a command': async ({ user_id }) => dataOf(databaseOf(here), here.settings).sessions.endAll(user_id)
  }
  for (const [what, end] of Object.entries(ends)) {
    const session = await begin(here, user)
    t.equal(await isRefused(there, session), false)
    await end(session)
    const took = await until(() => isRefused(there, session))
    t.ok(took < 2000, `${what}: ${took} ms`)
    await until(() => isRefused(here, session))
  }

  const survivor = await begin(here, user)
  const ended = await begin(here, user)
  await sessions.end(user._id, ended.sid)
  const restarted = await build(t, { url })
  t.equal(await isRefused(restarted, ended), true, 'a restarted process refuses it from the first request')
  t.equal(await isRefused(restarted, survivor), false)

  await users.disable(user._id)
  for (const app of [here, there]) t.ok((await until(() => isRefused(app, survivor))) < 2000, 'a disabled user')
})

const away: Record<string, (proxy: Awaited<ReturnType<typeof proxyTo>>) => void> = {
  'ends its connections': proxy => proxy.leave(),
  'is silent': proxy => proxy.silence()
}
for (const [what, leave] of Object.entries(away)) {
  t.test(`while the database ${what}`, async t => {
    const url = await databaseUrl(t)
    const proxy = await proxyTo(t, url)
    const log: string[] = []
    const [here, there] = [await build(t, { url }), await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '2000' }, log })]
    const user = await addUser(here)
    const [known, unknown, living] = [await begin(here, user), await begin(here, user), await begin(here, user)]
    await here.data.sessions.end(user._id, known.sid)
    await until(() => isRefused(there, known))

    leave(proxy)
    await here.data.sessions.end(user._id, unknown.sid)
    await until(() => log.some(line => line.includes('the ended sessions could not be read')))
    t.equal(await isRefused(there, known), true, 'a token that was known to be refused stays refused')
    proxy.comeBack()
    const took = await until(() => isRefused(there, unknown))
    t.ok(took < 3000, `refused ${took} ms after the database came back`)
    await until(async () => (await there.inject({ url: '/history', headers: living.headers })).statusCode === 200)
  })
}

t.test('each read asks for what has ended since the last one, and for more after a failure', async t => {
  const app = await build(t)
  const asked: (number | undefined)[] = []
  let fails = false
  const ended = (since?: number) => {
    asked.push(since)
    if (fails) throw new Error('away')
    return app.data.sessions.ended(since)
  }
  const followed = new EndedSessions()
  const read = () => followed.refresh({ ended })
  await read()
  await read()
  fails = true
  await t.rejects(read())
  fails = false
  await read()
  await read()
  const [first, second, third, fourth, fifth] = asked
  t.equal(first, undefined, 'the first read has no start')
  for (const since of [second, third, fifth]) t.ok(Number(since) >= 5000 && Number(since) < 10_000, `${since}`)
  t.ok(Number(fourth) >= 60_000 && Number(fourth) < 65_000, `${fourth}`)
})

t.test('an ended session is remembered as long as its access tokens may live', async t => {
  const url = await databaseUrl(t)
  const app = await build(t, { url, settings: { ACCESS_TOKEN_TTL: '1500' } })
  const user = await addUser(app)
  const sessions = databaseOf(app).collection<{ _id: string; [field: string]: unknown }>('sessions')
  const remaining = async (sid: string) => Number((await sessions.findOne({ _id: sid }))?.expires_at) - Date.now()
  const isAbout = (milliseconds: number, seconds: number) => Math.abs(milliseconds - seconds * 1000) < 10_000

  const session = await begin(app, user)
  // A command does not know the setting of the service.
  const command = dataOf(databaseOf(app), { ...app.settings, ACCESS_TOKEN_TTL: 9999 }).sessions
  await command.endAll(user._id)
  t.ok(isAbout(await remaining(session.sid), 1560), 'the lifetime of the token, and a minute for differing clocks')
  t.strictSame(Object.keys((await sessions.findOne({ _id: session.sid })) ?? {}).sort(), ['_id', 'ended_at', 'expires_at', 'user_id'])

  const before = await sessions.findOne({ _id: session.sid })
  await command.end(user._id, session.sid)
  t.strictSame(await sessions.findOne({ _id: session.sid }), before, 'a second end changes nothing')

  const unknown = crypto.randomUUID()
  await app.data.sessions.end(user._id, unknown)
  t.ok(isAbout(await remaining(unknown), 1560), 'also if the document of the session is gone')

  const restarted = await build(t, { url })
  t.equal(restarted.endedSessions.size, 2)
  await sessions.updateMany({}, { $set: { expires_at: new Date(Date.now() + 500) } })
  const later = new EndedSessions()
  await later.refresh(app.data.sessions)
  t.equal(later.size, 2)
  await sessions.deleteMany({})
  await until(async () => {
    await later.refresh(app.data.sessions)
    return later.size === 0
  })
})

t.test('many ended sessions are read in short turns', async t => {
  const app = await build(t)
  const expires_at = new Date(Date.now() + 60_000)
  await databaseOf(app)
    .collection('sessions')
    .insertMany(Array.from({ length: 20_000 }, () => ({ _id: crypto.randomUUID() as never, user_id: 1, ended_at: new Date(), expires_at })))
  const ended = new EndedSessions()
  const { turns } = await turnsDuring(() => ended.refresh(app.data.sessions))
  t.equal(ended.size, 20_000)
  t.ok(turns >= 40, `${turns} turns of at most 500 sessions`)
})
