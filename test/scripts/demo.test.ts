import t, { type Test } from 'tap'
import { demoPassword, demoProfiles, demoUsers } from '../../demo/users.js'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import { type App, addUser, build } from '../helpers/app.js'
import { commandsIn } from '../helpers/commands.js'
import { databaseOf, databaseUrl } from '../helpers/database.js'
import { serving } from '../helpers/serving.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { recommendedTo, taught } from '../recommendations/helper.js'

const run = commandsIn(t)
const demo = (url: string, settings = {}) => run('demo', [], { settings: { MONGO_URL: url, ...settings } })

interface Content {
  id: number
  thumbnail: string
  images: { url: string }[]
}

/** A database in which a service has made its collections. */
const beside = async (t: Test) => {
  const url = await databaseUrl(t)
  return { url, app: await build(t, { url }) }
}

const assertHousehold = async (t: Test, app: App) => {
  const [{ email }] = demoUsers
  const ask = async (url: string, token?: string, payload?: object) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const answer = await app.inject({ method: payload ? 'POST' : 'GET', url, headers, ...(payload && { payload }) })
    t.equal(answer.statusCode, 200, url)
    return answer.json().data
  }
  const { access_token: ada } = await ask('/login', undefined, { email, password: demoPassword })
  const profiles: { id: number; name: string; max_age: number | null; has_pin: boolean; first: boolean }[] = await ask('/profiles', ada)
  t.match(profiles, [
    { name: 'Ada', max_age: null, has_pin: false, first: true },
    { name: 'Tom', max_age: null, has_pin: true },
    { name: 'Mia', max_age: 6, has_pin: false }
  ])
  const history = databaseOf(app).collection('history')
  for (const { id, name } of profiles) {
    const pin = demoProfiles.find(profile => profile.name === name)?.pin
    const { access_token } = await ask(`/profiles/${id}/token`, ada, { ...(pin !== undefined && { pin }) })
    const { meta } = await ask('/history', access_token)
    t.ok(meta.total_count > 15)
    t.equal(meta.total_count, await history.countDocuments({ user_id: id }), `${name} may see their whole history`)
    t.ok((await ask('/watchlist', access_token)).meta.total_count >= 5)
    const kinds = (await ask('/home', access_token)).rows.map(({ kind }: { kind: string }) => kind)
    t.match(kinds, ['continue_watching', 'recommended'])
  }
}

const assertSequel = async (t: Test, app: App) => {
  await taught(app)
  const { data } = (await app.inject('/contents?search=the slowest way')).json()
  const idOf = (name: string) => data.collection.find((content: { name: string }) => content.name === name).id
  const [first, sequel] = [idOf('The Slowest Way to Lisbon'), idOf('The Slowest Way Home')]
  const viewer = await viewerOf(app)
  await watch(viewer, 1001, { percentage: 95 })
  await watch(viewer, first, { percentage: 95 })
  t.match((await recommendedTo(viewer))[0], { id: sequel, reason: { type: 'watched', content_id: first } })
}

t.test('npm run demo fills a database beside a running service', async t => {
  const { url, app } = await beside(t)
  t.match(await demo(url), { status: 0, out: /^filling the empty database .*\nSign in as ada@example\.com with demo-password\n$/, err: '' })
  const later = await build(t, { url })
  t.ok((await later.inject('/contents')).json().data.meta.total_count >= 200)
  t.ok((await later.inject('/rail-collections')).json().data.collection.length > 0)

  const contents = await databaseOf(app).collection<ContentDocument>('contents').find().toArray()
  const playable = contents.filter(({ type }) => !['show', 'season', 'live'].includes(type))
  const lacking = (field: keyof ContentDocument, within = contents) => within.filter(content => content[field] === null)
  t.strictSame(lacking('duration', playable), [])
  t.strictSame(lacking('min_age'), [])
  t.strictSame(lacking('year'), [])
  const ofType = (...types: string[]) => contents.filter(({ type }) => types.includes(type))
  const [episodes, seasons] = [ofType('episode'), ofType('season')]
  for (const numbered of [episodes, seasons]) t.ok(numbered.length > 40)
  t.strictSame([...lacking('episode', episodes), ...lacking('season', [...seasons, ...episodes])], [])
  t.strictSame(lacking('age_ratings', ofType('film', 'documentary', 'show', 'season', 'episode')), [])

  const users = databaseOf(app).collection('users')
  const before = await users.countDocuments()
  t.match(await demo(url), { status: 0, out: /^updating the schedule .*\nSign in as ada/, err: '' }, 'a second time')
  t.equal(await users.countDocuments(), before)

  await t.test('with a household, each with a history and a watchlist that fits', t => assertHousehold(t, later))
  await t.test('with a sequel that is shown after its first part', t => assertSequel(t, later))
})

t.test('npm run demo does nothing where there is data, and says so', async t => {
  for (const name of ['contents', 'terms', 'users', 'history']) {
    const { url, app } = await beside(t)
    if (name === 'users') await addUser(app)
    else await databaseOf(app).collection<{ _id: number }>(name).insertOne({ _id: 1 }, { bypassDocumentValidation: true })
    t.match(await demo(url), { status: 1, out: '', err: /^The database has data .* Nothing was written\.\n$/ }, name)
    t.equal(await databaseOf(app).collection('contents').countDocuments(), name === 'contents' ? 1 : 0)
  }
})

t.test('the pictures are where the demo says', async t => {
  const url = await databaseUrl(t)
  const settings = { MONGO_URL: url, BASE_PATH: '/viewer' }
  const { address, said, stop } = await serving(t, { settings, script: 'scripts/serve-demo.js' })
  const { origin, port } = new URL(address)
  t.equal((await demo(url, { PORT: port, BASE_PATH: '/viewer' })).status, 0)

  const first = async (): Promise<Content | undefined> => {
    const { data } = JSON.parse(await (await fetch(`${origin}/viewer/contents?type=show&perPage=1`)).text())
    return data.collection[0]
  }
  let show = await first()
  while (show === undefined) show = await first()
  const { id, thumbnail, images } = show
  const pictures = `http://localhost:${port}/viewer/demo`
  t.equal(thumbnail, `${pictures}/thumbnails/${id}.svg`)
  t.strictSame(images, [
    { kind: 'poster', url: `${pictures}/posters/${id}.svg`, width: 400, height: 600 },
    { kind: 'backdrop', url: `${pictures}/backdrops/${id}.svg`, width: 1280, height: 720 }
  ])
  for (const url of [thumbnail, ...images.map(({ url }) => url)]) {
    const picture = await fetch(url.replace('localhost', '127.0.0.1'))
    t.equal(picture.status, 200)
    t.equal(picture.headers.get('content-type'), 'image/svg+xml')
  }
  for (const line of said().trim().split('\n')) t.ok(JSON.parse(line).level, 'only the service writes to its log')
  await stop()
})
