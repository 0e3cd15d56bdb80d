import t from 'tap'
import { password } from '../helpers/app.js'
import { until } from '../helpers/until.js'
import { clientOf, errorOf, historyOf, kept, newViewer, secondsAgo, serve, signedIn } from './helper.js'

/** One service for all tests that do not stop it. */
const { app, baseUrl } = await serve(t)

interface Sent {
  path: string
  body: Record<string, unknown>
}
const batches = (sent: Sent[]) =>
  sent.filter(({ path }) => path === 'POST /history/batch').map(({ body }) => body.reports as { time: number }[])

t.test('refused reports are kept apart from unsent ones', async t => {
  const { store, user } = await signedIn(t, app, baseUrl)
  const other = kept(user.id + 1, 1, { time: 999 })
  const refused = kept(user.id, 99)
  const ofOther = { ...kept(user.id + 1, 98), code: 404, message: 'No' }
  await store.save('refused', [ofOther])
  await store.save('reports', [kept(user.id, 3), other, refused, kept(user.id, 1)])

  const { client, sent } = clientOf(t, baseUrl, { store })
  await until(async () => (await client.unsent()) === 0)
  t.match(sent, [{ path: 'GET /health' }, { path: 'POST /history/batch' }], 'the client first asks for the time of the service')
  t.match(batches(sent), [[{ content_id: 3 }, { content_id: 99 }, { content_id: 1 }]])
  t.strictSame(await store.load('reports'), [other], 'the report of another user waits for that user')
  const elements = await historyOf(client)
  t.strictSame(elements.map(({ content_id }) => content_id).sort(), [1, 3])
  for (const { updated_at } of elements) t.ok(Math.abs(secondsAgo(updated_at) - 60) < 10)

  t.strictSame(await client.refused(), [{ ...refused, code: 404, message: "'The content was not found" }])
  t.match(await client.report({ content_id: 99, time: 1 }), { state: 'refused' })
  t.match(await client.report({ content_id: 98, time: 1 }), { state: 'refused' })
  t.match(await client.refused(), [
    { content_id: 99, time: 1, code: 404 },
    { content_id: 98, time: 1, code: 404 }
  ])
  await client.dropRefused()
  t.strictSame(await client.refused(), [])
  t.strictSame(await store.load('refused'), [ofOther])
})

t.test('without a user there are no reports', async t => {
  const { client } = clientOf(t, baseUrl)
  t.equal(await client.unsent(), 0)
  t.strictSame(await client.refused(), [])
  await client.dropRefused()
})

t.test('whoever awaits a report in a batch gets its own outcome', async t => {
  let open = () => {}
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  const gated = async (request: Request) => {
    if (request.url.endsWith('/history')) await gate
    return fetch(request)
  }
  const { client, sent, count } = clientOf(t, baseUrl, { fetch: gated })
  await newViewer(app, client)
  const first = client.report({ content_id: 1, time: 1 })
  await until(() => count('POST /history') === 1)
  const others = [99, 2].map(content_id => client.report({ content_id, time: 2 }))
  await until(async () => (await client.unsent()) === 3)
  open()
  t.match(await first, { state: 'sent' })
  t.match(await Promise.all(others), [
    { state: 'refused', error: { kind: 'refused', code: 404, message: /not found/ } },
    { state: 'sent', error: undefined }
  ])
  t.equal(batches(sent).length, 1)
})

t.test('many are sent 200 at a time, oldest first', async t => {
  const { store, user } = await signedIn(t, app, baseUrl)
  const began = Date.now() - 60_000
  const reports = Array.from({ length: 450 }, (_, n) => kept(user.id, 1 + (n % 3), { time: n, observed: began + n }))
  await store.save('reports', reports)
  const { client, sent } = clientOf(t, baseUrl, { store })
  await until(async () => (await client.unsent()) === 0)
  t.strictSame(
    batches(sent).map(reports => [reports.length, reports[0]?.time]),
    [
      [200, 0],
      [200, 200],
      [50, 400]
    ]
  )
  t.strictSame(
    (await historyOf(client)).map(({ content_id, time }) => [content_id, time]),
    [
      [3, 449],
      [2, 448],
      [1, 447]
    ]
  )
})

t.test('a service without batches gets one report after the other', async t => {
  // To an older service, the path is that of an element, which has no POST.
  const asBefore = async (request: Request) => {
    const body = request.body && (await request.text())
    const { method, headers } = request
    return fetch(request.url.replace('/batch', `/${'0'.repeat(24)}`), { method, headers, body })
  }
  const { store, user } = await signedIn(t, app, baseUrl)
  await store.save('reports', [kept(user.id, 3), kept(user.id, 99), kept(user.id, 1)])
  const { client, sent } = clientOf(t, baseUrl, { store, fetch: asBefore })
  await until(async () => (await client.unsent()) === 0)
  t.strictSame(
    sent.slice(1).map(({ path, body }) => [path, body.content_id]),
    [
      ['POST /history/batch', undefined],
      ['POST /history', 3],
      ['POST /history', 99],
      ['POST /history', 1]
    ]
  )
  t.match(await client.refused(), [{ content_id: 99, code: 404 }])
  t.equal((await historyOf(client)).length, 2)
})

t.test('a viewer who sees the end while offline and begins again has seen the end', async t => {
  const { app, baseUrl, again } = await serve(t)
  const { client, sent } = clientOf(t, baseUrl)
  await newViewer(app, client)
  await app.close()
  for (const percentage of [20, 40, 95, 97, 50, 5, 2, 30, 60]) await client.report({ content_id: 1, time: percentage * 60, percentage })
  t.equal(await client.unsent(), 4, 'reports are kept at the start, at both turning points and at the current position')
  await again()
  await client.sendReports()
  t.match(batches(sent).at(-1), [{ percentage: 20 }, { percentage: 97 }, { percentage: 2 }, { percentage: 60 }])
  t.match(await historyOf(client), [{ percentage: 60, plays: 1 }])
})

t.test('a percentage and a time that are reported separately are both kept', async t => {
  const { app, baseUrl } = await serve(t)
  const { store, user } = await signedIn(t, app, baseUrl)
  const { client } = clientOf(t, baseUrl, { store })
  await app.close()
  await client.report({ content_id: 1 })
  await client.report({ content_id: 1, percentage: 10 })
  await client.report({ content_id: 1, time: 600 })
  t.match(await store.load('reports'), [{ content_id: 1 }, { content_id: 1, user_id: user.id, percentage: 10, time: 600 }])
})

t.test('no more than 1,000 are kept', async t => {
  const { app, baseUrl } = await serve(t)
  const { store, user } = await signedIn(t, app, baseUrl)
  await app.close()
  await store.save(
    'reports',
    Array.from({ length: 1000 }, (_, n) => kept(user.id, n + 1))
  )
  const { client } = clientOf(t, baseUrl, { store })
  await client.report({ content_id: 1001, time: 1 })
  const reports = (await store.load('reports')) ?? []
  t.equal(reports.length, 1000)
  t.equal(reports[0]?.content_id, 2, 'the oldest report was dropped')
  t.equal(reports.at(-1)?.content_id, 1001)
})

t.test('nothing is reported in the name of another user', async t => {
  const { store, user } = await signedIn(t, app, baseUrl)
  await store.save('reports', [kept(user.id, 1), kept(user.id, 2)])
  let open = () => {}
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  const gated = async (request: Request) => {
    if (request.url.endsWith('/health')) await gate
    return fetch(request)
  }
  const { client, count } = clientOf(t, baseUrl, { store, fetch: gated })
  await until(() => count('GET /health') === 1)
  await newViewer(app, client)
  open()
  await until(() => count('POST /history/batch') === 1)
  t.strictSame(await historyOf(client), [])
  t.equal((await store.load('reports'))?.length, 2, 'the reports wait')
  t.equal((await errorOf(client.signIn(user.email, 'wrong'))).kind, 'wrong-credentials')
  await client.signIn(user.email, password)
  await until(async () => (await client.unsent()) === 0)
  t.equal((await historyOf(client)).length, 2)
})
