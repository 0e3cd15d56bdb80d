import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { ratio } from '../../scripts/bench/compare.js'
import { closedLoop } from '../../scripts/bench/load.js'
import { parts, readOptions } from '../../scripts/bench/options.js'
import { digits, goalsOf, isMet, measureOf, quantile, sectionOf, spread, tableOf } from '../../scripts/bench/report.js'
import { scenarios } from '../../scripts/bench/scenarios.js'

const hundred = Array.from({ length: 100 }, (_, n) => 100 - n)
const single = (value: number) => measureOf([value])

t.test('quantiles count from the smallest, whatever the order', async t => {
  t.equal(quantile([3, 1, 2], 0.5), 2)
  t.equal(quantile(hundred, 0.99), 100)
  t.equal(quantile(hundred, 1), 100)
  t.ok(Number.isNaN(quantile([], 0.5)))
  t.strictSame(measureOf([5, 1, 4, 2, 3]), { median: 3, low: 2, high: 4 })
})

t.test('a goal is met at its bound, and missed beyond it and by NaN', async t => {
  const atMost = (value: number) => isMet({ goal: 'time', unit: 'ms', atMost: 25, value: single(value) })
  const atLeast = (value: number) => isMet({ goal: 'rate', unit: 'x', atLeast: 0.8, value: single(value) })
  t.strictSame([25, 25.1, Number.NaN].map(atMost), [true, false, false])
  t.strictSame([0.8, 0.79, Number.NaN].map(atLeast), [true, false, false])
  t.ok(isMet({ goal: 'rate', unit: 'x', atLeast: 0.8, value: measureOf([0.7, 0.8, 0.9]) }), 'the median decides')
})

t.test('figures have three digits that count', async t => {
  t.strictSame([0.756, 12.34, 1234.5, 3, 100_000].map(digits), ['0.76', '12.3', '1235', '3', '100000'])
  t.equal(spread({ median: 1.5, low: 1.25, high: 2 }), '1.50 (1.25 to 2)')
  t.equal(spread(single(2)), '2')
})

t.test('ratios are of neighbouring rounds', async t => {
  const round = (perSecond: number) => ({ perSecond, processor: 1, mongod: 1, together: 2, operations: 1, memory: 1 })
  const results = { service: [100, 10, 30].map(round), bare: [50, 5, 10].map(round) }
  t.strictSame(ratio(results, 'bare', 'perSecond'), { median: 2, low: 2, high: 3 })
  t.ok(Number.isNaN(ratio(results, 'nobody', 'perSecond').median))
})

t.test('the report is Markdown', async t => {
  t.equal(
    tableOf([
      ['', 'ms'],
      ['a|b', '1'],
      ['longer', '23', 'beyond the columns']
    ]),
    ['|        | ms  |', '| ------ | --- |', '| a\\|b   | 1   |', '| longer | 23  |'].join('\n')
  )
  const goals = [
    { goal: 'fast', unit: 'x', atLeast: 2, value: single(3) },
    { goal: 'small', unit: 'MB', atMost: 2, value: single(3) }
  ]
  const section = { title: 'GET /terms', table: [['', 'ms']], goals }
  t.equal(sectionOf(section), '## GET /terms\n\n|     | ms  |\n| --- | --- |\n')
  const list = goalsOf([section])
  t.match(list, '1 of 2 goals are met.')
  t.match(list, /^\| met +\| fast +\| at least 2 x +\| 3 +\|$/m)
  t.match(list, /^\| MISSED +\| small +\| at most 2 MB +\| 3 +\|$/m)
})

t.test('every goal is a ratio to a contestant of its scenario', async t => {
  for (const [name, { peers, goals = [], besides = [] }] of Object.entries(scenarios)) {
    const contestants: string[] = [...peers, ...besides.map(({ title }) => title)]
    for (const { to } of goals) t.ok(contestants.includes(to), `${name}: ${to}`)
  }
})

t.test('the load sends all requests, and every response must be a success', async t => {
  const received = new Set<string>()
  let status = 200
  const server = createServer(async (request, response) => {
    const [chunk = ''] = await request.toArray()
    received.add(`${request.method} ${request.url} ${request.headers.user} ${chunk}`)
    response.writeHead(status).end('{}')
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo

  const calls = Array.from({ length: 5 }, (_, n) => ({
    method: 'POST' as const,
    path: '/history',
    headers: { user: `${n}` },
    body: { content_id: n }
  }))
  const load = { connections: 2, seconds: 0.3 }
  const { perSecond, sent } = await closedLoop(port, calls, load)
  t.ok(perSecond > 0)
  t.ok(sent >= 5)
  t.strictSame(
    [...received].sort(),
    [0, 1, 2, 3, 4].map(n => `POST /history ${n} {"content_id":${n}}`)
  )

  t.ok((await closedLoop(port, [{ path: '/terms' }], load)).sent > 0, 'fewer requests than connections')
  t.ok(received.has('GET /terms undefined '))

  status = 503
  await t.rejects(closedLoop(port, calls, load), /^\/history: 0 broken connections and \{"503":/)
})

t.test('the options of the command', async t => {
  t.strictSame(readOptions([]), { rounds: 9, seconds: 1, connections: 32, users: 2000, contents: 5000, parts })
  t.match(readOptions(['history', 'put', '--rounds=1', '--seconds', '0.5']), { rounds: 1, seconds: 0.5, parts: ['history', 'put'] })
  t.throws(() => readOptions(['nonsense']), /^There is no part nonsense, only: terms, .*\nUsage/)
  for (const wrong of ['0', '1.5', 'many']) t.throws(() => readOptions([`--rounds=${wrong}`]), /--rounds must be a whole number above 0/)
  t.throws(() => readOptions(['--seconds=0']), /--seconds must be a number above 0/)
  t.throws(() => readOptions(['--full']), /Unknown option '--full'/)
})
