import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { MongoClient, ObjectId } from 'mongodb'
import t from 'tap'
import { secret, tokenOf } from '../../scripts/bench/servers/tokens.js'
import { root } from '../../scripts/root.js'
import { Events } from '../../scripts/soak/events.js'
import { allKept, lineOf, milliseconds, promised } from '../../scripts/soak/findings.js'
import { type Counts, increment, inWords, isBroken, isPromised, isSuccess, Ledger, Outcomes, Trend } from '../../scripts/soak/outcomes.js'
import { readOptions } from '../../scripts/soak/stage.js'
import { type Answer, startFollowers } from '../../scripts/soak/viewers.js'
import { apart } from '../helpers/apart.js'
import { build } from '../helpers/app.js'
import { databaseUrl, seededUrl } from '../helpers/database.js'
import { content } from '../helpers/documents.js'
import { testFolder } from '../helpers/folder.js'
import { built } from '../helpers/run.js'

t.test('acknowledged writes that the database does not have are lost', async t => {
  const client = await MongoClient.connect(await databaseUrl(t))
  t.teardown(() => client.close())
  const db = client.db()
  const ledger = new Ledger()
  const report = (content: number, ...times: [time: number, isAcknowledged: boolean][]) => {
    for (const [time, isAcknowledged] of times) {
      const write = ledger.reporting(1, content, time)
      if (isAcknowledged) write.acknowledge()
    }
  }
  const stored = (content_id: number, time: number) => db.collection('history').insertOne({ user_id: 1, content_id, time })
  // The database has what was acknowledged.
  report(1, [5, true])
  await stored(1, 5)
  // It has a later time, which was stored without being acknowledged.
  report(2, [5, true], [6, false])
  await stored(2, 6)
  // It has only an earlier time.
  report(3, [4, false], [5, true])
  await stored(3, 4)
  // It has nothing.
  report(4, [5, true])
  // It has nothing, but nothing was acknowledged.
  report(5, [5, false])
  // It has one of two.
  ledger.acknowledgeSaved(1, 6)
  ledger.acknowledgeSaved(1, 7)
  await db.collection('watchlist').insertOne({ user_id: 1, content_id: 6 })
  t.strictSame(await ledger.lost(db), ['history 1 3', 'history 1 4', 'watchlist 1 7'])
  t.equal(ledger.writes, 6)
})

t.test('acknowledged events that do not arrive are missing', async t => {
  const events = new Events()
  for (const key of ['a', 'b', 'c']) events.acknowledge(key)
  const now = performance.now()
  events.arrive('a', 'msg_1', now + 50)
  events.arrive('a', 'msg_1', now + 5000)
  events.arrive('b', 'msg_2', now - 1000)
  events.arrive('unknown', 'msg_3', now)
  t.strictSame(events.missing(), ['c'])
  t.strictSame(events.missing(now - 1000), [])
  t.strictSame(events.counts, { acknowledged: 3, delivered: 3, doubled: 1 })
  const during = events.during({ name: '', from: now - 1000, to: now })
  t.equal(during.percentile(0.3), 0, 'one arrived before the response')
  t.match(`${during}`, /^3 events, p50 5\d ms, p99 Infinity ms/)
  t.match(`${events.besides([{ name: '', from: now - 1000, to: now }])}`, /^0 events/)
})

t.test('copies that differ from the lists are found', async t => {
  const url = await seededUrl(t, { contents: [content(1), content(2)] })
  const app = await build(t, { url, settings: { JWT_SECRET: secret } })
  const ask = async (user: number, url: string): Promise<Answer> => {
    const { statusCode, headers, body } = await app.inject({ url, headers: { authorization: `Bearer ${tokenOf(user)}` } })
    return { status: statusCode, headers: headers as Answer['headers'], body }
  }
  const outcomes = new Outcomes()
  const followers = startFollowers({ users: [1, 2], ask, outcomes })
  t.teardown(followers.stop)
  await app.data.reports.putAll(2, [{ content_id: 1, progress: { time: 1 } }])
  t.strictSame(await followers.compare(), { different: [], elements: 1 })

  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  const at = new Date('2020-01-01')
  const unseen = { _id: new ObjectId(), user_id: 2, content_id: 2, time: 1, percentage: 1, created_at: at, updated_at: at }
  await client.db().collection('history').insertOne(unseen)
  t.strictSame(await followers.compare(), { different: ['history of 2'], elements: 1 })
  t.equal(outcomes.besides(isSuccess), 0)

  const gone = startFollowers({ users: [1], ask: async () => ({ status: 503, headers: {}, body: '' }), outcomes })
  await t.rejects(gone.compare(), { message: /^No response to \/changes/ })
})

t.test('answers are counted by kind', async t => {
  const outcomes = new Outcomes()
  t.equal(outcomes.lastFailure, Number.NEGATIVE_INFINITY)
  const answer = (status: number, retryAfter?: string, body = ''): Promise<Answer> =>
    Promise.resolve({ status, headers: retryAfter ? { 'retry-after': retryAfter } : {}, body })
  const refusal = JSON.stringify({ success: false, code: 503, message: 'Later' })

  t.match(await outcomes.of(answer(200)), { status: 200 })
  t.equal(outcomes.lastFailure, Number.NEGATIVE_INFINITY)
  await outcomes.of(answer(503, '1', refusal))
  const failed = outcomes.lastFailure
  t.ok(failed <= performance.now())
  t.equal(outcomes.besides(isPromised), 0)
  await outcomes.of(answer(201))
  t.equal(outcomes.lastFailure, failed)
  await outcomes.of(answer(503, undefined, refusal))
  await outcomes.of(answer(503, '1', '{"success":false,"code":503,"message":"Later","stack":"at"}'))
  await outcomes.of(answer(500))
  t.equal(await outcomes.of(Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))), undefined)
  await outcomes.of(Promise.reject(new Error('socket hang up')))

  t.equal(`${outcomes}`, '1 x 200, 1 x 503, 1 x 201, 2 x 503 in another shape, 1 x 500, 1 x ECONNRESET, 1 x socket hang up')
  t.equal(outcomes.total, 8)
  t.equal(outcomes.besides(isSuccess), 6)
  t.equal(outcomes.besides(isPromised), 5)
  t.equal(outcomes.besides(isBroken), 6)
  const { count, p50, p99, slowest } = outcomes.latencies()
  t.equal(count, 8)
  t.ok(p50 > 0 && p50 <= p99 && p99 <= slowest)
  t.equal(outcomes.latencies(isSuccess).count, 2)
  t.strictSame(new Outcomes().latencies(), { count: 0, p50: 0, p99: 0, slowest: 0 })
})

t.test('a trend is the slope of what came after the warm-up', async t => {
  const clock = performance.now
  t.teardown(() => {
    performance.now = clock
  })
  let minute = 0
  performance.now = () => minute * 60_000
  const trend = new Trend()
  for (; minute <= 40; minute++) trend.add(minute < 10 ? 1000 : 100 + 3 * minute)
  t.match(trend.line(), { perMinute: 3, minutes: 30, last: 220 })
  t.match(new Trend().line(), { minutes: 0, last: 0 })
})

t.test('a verdict is plain', async t => {
  const kept = promised('nothing is lost', true, '0 of 5')
  const broken = promised('nothing is lost', false, '1 of 5')
  const untold = promised('memory does not grow', undefined, 'too short')
  t.strictSame([kept, broken, untold].map(lineOf), [
    'kept      nothing is lost: 0 of 5',
    'BROKEN    nothing is lost: 1 of 5',
    'unknown   memory does not grow: too short'
  ])
  t.equal(allKept([kept, untold]), true)
  t.equal(allKept([kept, broken]), false)
  t.equal(milliseconds(1.6), '2 ms')
})

t.test('options', async t => {
  const names = ['mixed', 'primary']
  t.match(readOptions(names, []), { minutes: 30, kills: 20, requests: 50_000, built: 'dist', scenarios: names })
  t.match(readOptions(names, ['primary', '--kills', '2', '--election', '0.5', '--brief']), {
    kills: 2,
    election: 0.5,
    brief: true,
    scenarios: ['primary']
  })
  t.throws(() => readOptions(names, ['rolling']), /no scenario rolling, only: mixed, primary\nUsage/)
  for (const wrong of ['0', 'many', '-1']) t.throws(() => readOptions(names, [`--kills=${wrong}`]), /--kills must be a number above 0/)
})

t.test('outcomes are counted by kind', async t => {
  const counts: Counts = {}
  for (const status of [200, 503, 200]) increment(counts, status)
  t.equal(inWords(counts), '2 x 200, 1 x 503')
  t.equal(inWords(new Map([['timeout', 3]])), '3 x timeout')
})

const run = async (args: string[], env = {}) => {
  const child = spawn(...apart(...args), {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, err, status }
}

/**
 * `npm run soak` in small numbers: a replica set of three real members, and the service as processes of their own. CI runs the other
 * scenarios beside the suite, because they take a minute.
 */
t.test('the promises for when processes die are kept', async t => {
  const scenarios = ['primary', 'kill']
  const sizes = { kills: 1, election: 0.5, viewers: 6, pause: 20, contents: 200 }
  const options = Object.entries(sizes).flatMap(([name, size]) => [`--${name}`, `${size}`])
  const soak = [built('scripts/soak/main.js'), ...scenarios, '--built', built('.'), '--brief', ...options]
  const { out, err, status } = await run(soak, { TMPDIR: await testFolder() })

  const lines = out.trim().split('\n')
  t.equal(lines.pop(), 'Every promise was kept.', err)
  t.strictSame(
    lines.filter(line => !line.startsWith(' ')),
    scenarios
  )
  const findings = lines.filter(line => line.startsWith(' '))
  t.ok(findings.length > 12)
  // If every election takes longer than usual, nothing can be said about short ones.
  for (const finding of findings) t.match(finding, /^ +(kept|unknown {3}interrupted requests) /, finding)
  t.equal(status, 0)
})
