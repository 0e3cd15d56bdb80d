import t from 'tap'
import { forViewers } from '../../plugins/authentication.js'
import { buildApp } from '../../src/app.js'
import { type App, build, buildWith, settingsFor } from '../helpers/app.js'
import { seededUrl } from '../helpers/database.js'
import { content } from '../helpers/documents.js'
import { closedGate, until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { crowdOf, firstOfCrowd, span, trainOn, views } from '../recommendations/helper.js'

t.test('/health and /ready', async t => {
  const app = await build(t)
  for (const url of ['/health', '/ready']) {
    const response = await app.inject(url)
    t.equal(response.statusCode, 200)
    t.match(response.json(), { success: true, data: {} })
    const head = await app.inject({ method: 'HEAD', url })
    t.strictSame([head.statusCode, head.body], [200, ''])
  }
})

/** The value of each series, by its name and its labels as they are written. */
const seriesOf = async (app: App) => {
  const { statusCode, headers, body } = await app.inject('/metrics')
  if (statusCode !== 200 || !/^text\/plain; version=0\.0\.4/.test(String(headers['content-type']))) throw new Error(body)
  const lines = body.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const names = lines.map(line => line.slice(0, line.lastIndexOf(' ')))
  if (new Set(names).size < names.length) throw new Error('A series is exported twice')
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

t.test('answers are counted by the template of their route', async t => {
  const app = await buildWith(t, { contents: [content(1), content(2)] })
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { time: 5 })
  await watch(viewer, 2, { time: 5 })
  await viewer.get('/history')
  await viewer.get('/history/none')
  // Users and elements of watchlists are numbered by counters of one collection.
  await viewer.post('/watchlist', { content_id: 1 })
  await viewer.get('/watchlist?content_id=2')
  for (const url of ['/unknown/1', '/unknown/2', '/%']) await app.inject(url)
  await app.inject({ method: 'PATCH', url: '/history' })

  const series = await seriesOf(app)
  const answered = (labels: string) => series.get(`http_request_duration_seconds_count{${labels}}`)
  t.equal(answered('method="POST",route="/history",status="201"'), 2)
  t.equal(answered('method="GET",route="/history",status="200"'), 1)
  t.equal(answered('method="GET",route="/history/:watchedVideoId",status="404"'), 1)
  t.equal(answered('method="GET",route="unknown",status="404"'), 2)
  t.equal(answered('method="PATCH",route="/history",status="405"'), 1)
  const reports = 'method="POST",route="/history",status="201"'
  t.equal(series.get(`http_request_duration_seconds_bucket{le="+Inf",${reports}}`), 2)
  t.ok(Number(series.get(`http_request_duration_seconds_sum{${reports}}`)) > 0)
  t.equal(series.get('http_requests_in_progress'), 0)

  t.equal(series.get('mongodb_operation_duration_seconds_count{collection="history",kind="findOneAndUpdate"}'), 2)
  t.equal(series.get('mongodb_operation_duration_seconds_count{collection="watchlist",kind="aggregate"}'), 1)
  t.ok(Number(series.get('mongodb_pool_open')) >= 1)
  t.equal(series.get('mongodb_pool_waiting'), 0)

  t.equal(series.get('catalogue_contents'), 2)
  t.ok(Number(series.get('catalogue_unchecked_seconds')) < 60)
  t.equal(series.get('catalogue_cache_lookups_total{result="miss"}'), 2, 'the contents of the start page')
  t.equal(series.get('catalogue_cache_lookups_total{result="hit"}'), 2)
  await viewer.get('/history')
  const later = await seriesOf(app)
  t.equal(later.get('catalogue_cache_lookups_total{result="hit"}'), 4)
  t.equal(later.get('catalogue_cache_lookups_total{result="miss"}'), 2)
  t.ok(Number(later.get('catalogue_cache_bytes')) > 0)

  t.ok(Number(series.get('process_resident_memory_bytes')) > 0)
  t.ok(series.has('nodejs_eventloop_lag_p99_seconds'))
  t.notOk(series.has('recommendation_model_age_seconds'), 'there is no model')
  t.notOk(series.has('recommendation_training_interval_seconds'), 'this app does not train')
})

t.test('the ended sessions in memory are counted', async t => {
  const app = await build(t)
  const viewer = await viewerOf(app)
  t.equal((await seriesOf(app)).get('ended_sessions'), 0)
  await viewer.remove('/sessions')
  t.equal((await seriesOf(app)).get('ended_sessions'), 1)
})

t.test('the age at which a model is trained again is exported', async t => {
  const app = await build(t, { settings: { TRAIN: 'auto', TRAIN_INTERVAL: '90' } })
  t.equal((await seriesOf(app)).get('recommendation_training_interval_seconds'), 90 * 60)
})

t.test('a catalogue that was never checked is unchecked since the start', async t => {
  const app = await buildApp(settingsFor('mongodb://127.0.0.1:1/none'), { logger: false })
  t.teardown(() => app.close())
  await app.ready()
  const seconds = Number((await seriesOf(app)).get('catalogue_unchecked_seconds'))
  t.ok(seconds >= 0 && seconds < 60, `${seconds}`)
})

t.test('the model in use tells its age and size', async t => {
  const url = await seededUrl(t, { contents: span(1, 6).map(id => content(id)) })
  const trainer = await build(t, { url })
  await views(trainer, crowdOf(span(1, 6), 1, firstOfCrowd))
  await trainOn(trainer)
  const series = await seriesOf(await build(t, { url }))
  t.equal(series.get('recommendation_model_titles'), 6)
  t.ok(Number(series.get('recommendation_model_bytes')) > 0)
  for (const name of ['age', 'training']) t.ok(Number(series.get(`recommendation_model_${name}_seconds`)) < 60, name)
})

t.test('refused requests are counted by reason', async t => {
  const app = await buildWith(t, { contents: [content(1)] }, { settings: { RATE_LIMIT: '2', RATE_LIMIT_ADDRESS: '3' } })
  const viewer = await viewerOf(app)
  for (let i = 0; i < 3; i++) await viewer.get('/history')
  for (let i = 0; i < 5; i++) await app.inject('/contents')
  const series = await seriesOf(app)
  t.equal(series.get('http_refused_total{reason="user_limit"}'), 1)
  t.equal(series.get('http_refused_total{reason="address_limit"}'), 2)
})

t.test('requests in progress are counted, and those refused because of them', async t => {
  const { opened, open } = closedGate()
  const app = await build(t, {
    settings: { MAX_IN_PROGRESS: '2' },
    extend: app => void app.get('/waits', { config: { admission: 'public' } }, async () => opened.then(() => 'waited'))
  })
  const waiting = Promise.all(Array.from({ length: 5 }, () => app.inject('/waits')))
  // Anonymous requests begin in slices, so the last of them may begin after the first metrics were read.
  await until(async () => (await seriesOf(app)).get('http_refused_total{reason="in_progress"}') === 3)
  const series = await seriesOf(app)
  t.equal(series.get('http_requests_in_progress'), 2)
  open()
  t.strictSame(
    (await waiting).map(({ statusCode }) => statusCode),
    [200, 200, 503, 503, 503]
  )
})

t.test('a start page is counted once, although it reads in the queue of viewers', async t => {
  const { opened, open } = closedGate()
  const app = await build(t, {
    settings: { DATABASE_CONNECTIONS: '1' },
    extend: app => void app.get('/waits', forViewers, async () => opened.then(() => 'waited'))
  })
  const [first, second] = [await viewerOf(app), await viewerOf(app)]
  const waiting = first.get('/waits')
  const home = second.get('/home')
  const count = async () => (await seriesOf(app)).get('http_requests_in_progress') ?? 0
  await until(async () => (await count()) >= 2)
  t.equal(await count(), 2)
  open()
  t.strictSame(
    (await Promise.all([waiting, home])).map(({ statusCode }) => statusCode),
    [200, 200]
  )
  t.equal(await count(), 0)
})

t.test('searches that find the queue full are counted', async t => {
  const app = await build(t)
  const { catalogue } = app
  const make = () => new Promise<never>(() => undefined)
  const search = async (n: number) => catalogue.answer(`search ${n}`, make, job => catalogue.search.inTurn(job))
  await Promise.allSettled(Array.from({ length: 70 }, (_, n) => search(n)))
  t.equal((await seriesOf(app)).get('http_refused_total{reason="searches"}'), 6, 'the others timed out')
})

t.test('metrics are exported beyond every limit', async t => {
  const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '1' } })
  for (let i = 0; i < 3; i++) t.ok((await seriesOf(app)).size > 0)
  t.equal((await app.inject({ method: 'POST', url: '/metrics' })).statusCode, 405)
})
