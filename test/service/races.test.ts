import t from 'tap'
import { randomFrom } from '../../src/recommendations/model/index.js'
import type { HistoryDocument } from '../../src/viewing/history.js'
import type { WatchlistDocument } from '../../src/viewing/watchlist.js'
import { type Answer, collectionOf } from '../helpers/answers.js'
import { build } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { episode, film } from '../helpers/documents.js'
import { proxyTo } from '../helpers/proxy.js'
import { tick } from '../helpers/until.js'
import { allPages, type Viewer, viewerOf, watch } from '../helpers/viewer.js'

const contents = [film(10, { type: 'show' }), ...[1, 2, 3, 4, 5, 6].map(id => film(id)), episode(11, 10), episode(12, 10)]

const shuffled = <T>(items: T[], random: () => number) =>
  items
    .map(item => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)

const statuses = (answers: Answer[]) => [...new Set(answers.map(({ statusCode }) => statusCode))].sort()
const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))

t.test('two processes on one database', async t => {
  const url = await seededUrl(t, { contents })
  const [one, two] = [await build(t, { url }), await build(t, { url })]
  const history = databaseOf(one).collection<HistoryDocument>('history')
  const watchlist = databaseOf(one).collection<WatchlistDocument>('watchlist')
  /** One user, and the ways to both processes. */
  const household = async () => {
    const viewer = await viewerOf(one)
    const at =
      (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
      (i: number, url: string, payload?: object): Promise<Answer> =>
        (i % 2 ? two : one).inject({ method, url, headers: viewer.headers, ...(payload ? { payload } : {}) })
    return { viewer, post: at('POST'), put: at('PUT'), remove: at('DELETE'), get: at('GET') }
  }

  t.test('two concurrent reports, one of the time and one of the percentage, both count', async t => {
    const { put, post, viewer } = await household()
    await post(0, '/history', { content_id: 1 })
    const id = collectionOf(await viewer.get('/history'))[0]._id
    for (let n = 1; n <= 60; n++) {
      await Promise.all([put(0, `/history/${id}`, { time: n }), put(1, `/history/${id}`, { percentage: n })])
      const { time, percentage } = (await viewer.get(`/history/${id}`)).json().data
      if (time !== n || percentage !== n) t.strictSame({ time, percentage }, { time: n, percentage: n })
    }
  })

  t.test('a report without an observation counts, though a clock that ran ahead has written before', async t => {
    const { put, post, viewer } = await household()
    await post(0, '/history', { content_id: 1 })
    const id = collectionOf(await viewer.get('/history'))[0]._id
    const ahead = new Date(Date.now() + 60_000)
    await history.updateOne({ user_id: viewer.id }, { $set: { updated_at: ahead } })
    t.equal((await put(1, `/history/${id}`, { time: 5 })).statusCode, 200)
    t.match((await viewer.get(`/history/${id}`)).json().data, { time: 5, updated_at: ahead.toISOString().replace('Z', '000Z') })
  })

  t.test('a hundred equal POSTs /history at once leave one element', async t => {
    for (let round = 0; round < 2; round++) {
      const { viewer, post } = await household()
      const answers = await Promise.all(times(100, i => post(i, '/history', { content_id: 1, time: 30, percentage: 40 })))
      t.strictSame(statuses(answers), [201])
      t.equal(new Set(answers.map(({ headers }) => headers.location)).size, 1, 'all answers name the same element')
      t.equal(await history.countDocuments({ user_id: viewer.id }), 1)
      t.match(collectionOf(await viewer.get('/history')), [{ content_id: 1, time: 30, percentage: 40 }])
    }
  })

  t.test('a hundred equal POSTs /watchlist at once leave one element', async t => {
    for (let round = 0; round < 2; round++) {
      const { viewer, post } = await household()
      const answers = await Promise.all(times(100, i => post(i, '/watchlist', { content_id: 1 })))
      t.strictSame(statuses(answers), [201])
      t.equal(await watchlist.countDocuments({ user_id: viewer.id }), 1)
      const [element] = collectionOf(await viewer.get('/watchlist'))
      t.equal(element.created_at, element.updated_at)
    }
  })

  t.test('POSTs of several users and contents at once get an element each, with ids of their own', async t => {
    const homes = await Promise.all(times(6, household))
    const answers = await Promise.all(
      homes.flatMap(({ post }) => times(24, i => post(i, i < 12 ? '/watchlist' : '/history', { content_id: (i % 6) + 1 })))
    )
    t.strictSame(statuses(answers), [201])
    const ids = []
    for (const { viewer } of homes) {
      const saved = collectionOf(await viewer.get('/watchlist'))
      ids.push(...saved.map(({ id }: { id: number }) => id))
      t.strictSame(saved.map(({ content_id }: { content_id: number }) => content_id).sort(), [1, 2, 3, 4, 5, 6])
      t.ok(saved.every(({ user_id }: { user_id: number }) => user_id === viewer.id))
      t.equal(collectionOf(await viewer.get('/history')).length, 6)
    }
    t.equal(new Set(ids).size, 36)
  })

  t.test('DELETE of everything while POSTs arrive', async t => {
    for (const path of ['/history', '/watchlist']) {
      const { viewer, post, put, remove, get } = await household()
      const random = randomFrom(7)
      const requests = shuffled(
        [
          ...times(90, i => async () => post(i, path, { content_id: (i % 6) + 1, time: i })),
          ...times(12, i => async () => remove(i, path)),
          ...times(12, i => async () => get(i, `${path}?perPage=3`))
        ],
        random
      )
      const answers = await Promise.all(requests.map(request => request()))
      t.strictSame(
        answers.filter(({ statusCode }) => statusCode !== 200 && statusCode !== 201).map(({ statusCode, body }) => [statusCode, body]),
        [],
        `${path}: no error`
      )
      const pages = await allPages(viewer, path, 2)
      const left = pages.flatMap(({ collection }) => collection)
      t.equal(new Set(left.map(({ content_id }) => content_id)).size, left.length, 'at most one element for each content')
      t.equal(pages[0]?.meta.total_count, left.length, 'the total is correct')
      const collection = path === '/history' ? history : watchlist
      t.equal(await collection.countDocuments({ user_id: viewer.id }), left.length)

      for (const { _id, id } of left) {
        if (path === '/history') t.equal((await put(0, `/history/${_id}`, { time: 1 })).statusCode, 200)
        t.equal((await remove(1, `${path}/${_id ?? id}`)).statusCode, 200, 'each element can be removed')
      }
      t.equal((await post(0, path, { content_id: 1 })).statusCode, 201)
      t.equal((await remove(1, path)).statusCode, 200)
      t.strictSame(collectionOf(await viewer.get(path)), [], 'a last DELETE removes the rest')
    }
  })

  t.test('writes that were acknowledged after the answer to the DELETE are there', async t => {
    for (let round = 0; round < 10; round++) {
      const { viewer, post, remove } = await household()
      await Promise.all([remove(0, '/history'), ...times(5, i => post(i, '/history', { content_id: i + 1 }))])
      t.equal((await remove(round, '/history')).statusCode, 200)
      t.equal((await post(round + 1, '/history', { content_id: 6, time: 9 })).statusCode, 201)
      t.match(collectionOf(await viewer.get('/history')), [{ content_id: 6, time: 9 }])
    }
  })

  t.test('ten late reports beside a DELETE leave nothing of what it removes', async t => {
    const { viewer, post, put, remove } = await household()
    const proxy = await proxyTo(t, url)
    const held = await build(t, { url: proxy.url })
    for (let round = 0; round < 40; round++) {
      const id = await watch(viewer, 1, { percentage: 50 })
      const began = Date.now()
      // Later than the last removal, and before this one.
      while (Date.now() < began + 12) await tick()
      const lateReport = (i: number) => ({ content_id: 1, time: i, percentage: 95, observed_at: new Date(began + 1 + i).toISOString() })
      const removal = () => remove(round >> 1, round % 2 ? '/history' : `/history/${id}`)
      const late = times(10, i => () => {
        const report = lateReport(i)
        if (i % 5 === 3) return put(i, `/history/${id}`, report)
        return i % 5 === 4 ? post(i, '/history/batch', { reports: [report] }) : post(i, '/history', report)
      })
      // Every other time, a third process has looked for removals before this one, and writes afterwards.
      const writes = round % 4 < 2 ? proxy.at('findAndModify', proxy.freeze) : undefined
      const later = times(writes ? 10 : 0, i =>
        held.inject({ method: 'POST', url: '/history', headers: viewer.headers, payload: lateReport(i) })
      )
      await writes
      const answers = await Promise.all(shuffled([removal, ...late], randomFrom(round)).map(request => request()))
      proxy.comeBack()
      answers.push(...(await Promise.all(later)))
      t.ok(statuses(answers).every(status => [200, 201, 404].includes(status)))
      const left = await history.find({ user_id: viewer.id }).toArray()
      if (left.length > 0) t.strictSame(left, [], `round ${round}`)
    }
  })

  t.test('PUT and DELETE of one element at once answer 200 or 404', async t => {
    const { viewer, put, remove, get } = await household()
    for (let round = 0; round < 10; round++) {
      const id = await watch(viewer, 1)
      const answers = await Promise.all(
        times(9, i =>
          i % 3 === 0 ? remove(i, `/history/${id}`) : i % 3 === 1 ? put(i, `/history/${id}`, { time: i }) : get(i, `/history/${id}`)
        )
      )
      t.ok(
        statuses(answers).every(status => [200, 404].includes(status)),
        statuses(answers).join()
      )
      t.equal(answers.filter((answer, i) => i % 3 === 0 && answer.statusCode === 200).length, 1, 'one of the DELETEs removed it')
      t.equal((await get(round, `/history/${id}`)).statusCode, 404, 'and a PUT does not create it again')
    }
  })

  t.test('of observations from two devices in any order the newest stays', async t => {
    for (let round = 1; round <= 5; round++) {
      const random = randomFrom(round)
      const { viewer, post, put } = await household()
      const known = round % 2 ? await watch(viewer, 1, { observed_at: '2024-01-01T00:00:00Z' }) : undefined
      const base = Date.parse('2024-05-06T00:00:00Z')
      const reports = times(40, i => ({ observed_at: new Date(base + i).toISOString(), time: i, percentage: i }))
      const newest = reports.at(-1)
      const answers = await Promise.all(
        shuffled(reports, random).map((report, i) =>
          known && random() < 0.5 ? put(i, `/history/${known}`, report) : post(i, '/history', { content_id: 1, ...report })
        )
      )
      t.ok(statuses(answers).every(status => status === 200 || status === 201))
      const [element, ...more] = collectionOf(await viewer.get('/history'))
      t.equal(more.length, 0)
      t.match(element, { time: 39, percentage: 39, updated_at: newest?.observed_at.replace('Z', '000Z') }, `round ${round}`)
    }
  })

  t.test('after each report, the state is that of the newest observation so far', async t => {
    const random = randomFrom(99)
    const { viewer, post } = await household()
    let newest = -1
    let created: string | undefined
    for (const i of shuffled(
      times(30, i => i),
      random
    )) {
      await post(i, '/history', { content_id: 2, time: i, observed_at: new Date(1.7e12 + i).toISOString() })
      newest = Math.max(newest, i)
      const [element] = collectionOf(await viewer.get('/history'))
      created ??= element.created_at
      t.strictSame([element.time, element.created_at], [newest, created])
    }
  })

  t.test('an older report changes nothing, even in the field that the newer one lacks', async t => {
    const { viewer, post } = await household()
    await post(0, '/history', { content_id: 3, time: 100, observed_at: '2024-05-06T00:00:02Z' })
    await post(1, '/history', { content_id: 3, percentage: 50, observed_at: '2024-05-06T00:00:01Z' })
    t.match(collectionOf(await viewer.get('/history')), [{ time: 100, percentage: 0 }], 'an older report changes no field')
  })

  t.test('a title hidden by two devices at once is hidden once, and shown by one of them', async t => {
    for (let round = 0; round < 3; round++) {
      const { viewer, put, remove, get } = await household()
      const made = await Promise.all(times(40, i => put(i, `/hidden/${10 + (i % 3)}`)))
      t.strictSame(statuses(made), [200])
      const list = await viewer.get('/hidden')
      t.match(list.json().data, { collection: [{ content_id: 10 }], meta: { total_count: 1 } }, 'both episodes belong to one hidden show')
      await put(0, '/hidden/11')
      t.equal((await get(1, '/hidden')).body, list.body, 'created_at is that of the first request')
      const removed = await Promise.all(times(10, i => remove(i, `/hidden/${10 + (i % 3)}`)))
      t.equal(removed.filter(({ statusCode }) => statusCode === 200).length, 1)
      t.strictSame(statuses(removed), [200, 404])
    }
  })

  t.test('hiding, showing and reading at once never answers an error', async t => {
    const { viewer, put, remove, get } = await household()
    await watch(viewer, 11, { percentage: 50 })
    const paths = ['/hidden', '/recommendations', '/continue-watching']
    const answers = await Promise.all(
      times(90, i => (i % 3 === 0 ? put(i, '/hidden/12') : i % 3 === 1 ? remove(i, '/hidden/10') : get(i, paths[(i % 9) % 4] ?? '/hidden')))
    )
    t.ok(
      statuses(answers).every(status => [200, 404].includes(status)),
      statuses(answers).join()
    )
    await put(0, '/hidden/10')
    t.strictSame(collectionOf(await viewer.get('/continue-watching')), [])
    t.equal((await remove(1, '/hidden/10')).statusCode, 200)
    t.equal(collectionOf(await viewer.get('/continue-watching')).length, 1)
  })

  t.test('dismissals and reports at once never answer an error', async t => {
    const { viewer, post, remove, get } = await household()
    const answers = await Promise.all(
      times(60, i =>
        i % 3 === 0
          ? remove(i, '/continue-watching/10')
          : i % 3 === 1
            ? post(i, '/history', { content_id: 11 + (i % 2), percentage: 50 })
            : get(i, '/continue-watching')
      )
    )
    t.strictSame(statuses(answers), [200, 201])
    t.equal(await databaseOf(one).collection('dismissals').countDocuments({ user_id: viewer.id }), 1)
    const last = async (request: () => Promise<unknown>) => {
      await tick()
      await request()
      return collectionOf(await viewer.get('/continue-watching')).length
    }
    t.equal(await last(() => remove(1, '/continue-watching/11')), 0)
    t.equal(await last(() => post(0, '/history', { content_id: 12, percentage: 50 })), 1)
  })
})

t.test('the very first writes of a fresh database, at once', async t => {
  const url = await seededUrl(t, { contents })
  const apps = await Promise.all([build(t, { url }), build(t, { url })])
  const viewers: Viewer[] = await Promise.all(times(8, i => viewerOf(apps[i % 2] as (typeof apps)[0])))
  t.equal(new Set(viewers.map(({ id }) => id)).size, 8, 'every user has a different id')
  const answers = await Promise.all(viewers.flatMap(viewer => times(6, () => viewer.post('/watchlist', { content_id: 1 }))))
  t.strictSame(statuses(answers), [201])
  const saved = await Promise.all(viewers.map(async viewer => collectionOf(await viewer.get('/watchlist'))))
  t.equal(new Set(saved.flat().map(({ id }) => id)).size, 8)
})
