import t from 'tap'
import { limitsChart } from '../../scripts/bench/limits/limits-chart.js'
import { type Arrival, dueAt, dueBy, tallyOf } from '../../scripts/bench/load/arrivals.js'
import { judged } from '../../scripts/bench/measures/goals.js'
import { measureOf, quantile, single } from '../../scripts/bench/measures/statistics.js'
import { readOptions } from '../../scripts/bench/options.js'
import { barChart } from '../../scripts/bench/report/bar-chart.js'
import { digits, grouped, spread } from '../../scripts/bench/report/format.js'
import { lineChart } from '../../scripts/bench/report/line-chart.js'
import { apart, linear, logarithmic, ticks } from '../../scripts/bench/report/scales.js'
import type { Ratio } from '../../scripts/bench/report/section.js'
import { legend } from '../../scripts/bench/report/svg.js'

const hundred = Array.from({ length: 100 }, (_, n) => 100 - n)

t.test('quantiles count from the smallest, whatever the order', async t => {
  t.equal(quantile([3, 1, 2], 0.5), 2)
  t.equal(quantile(hundred, 0.99), 100)
  t.equal(quantile(hundred, 1), 100)
  t.ok(Number.isNaN(quantile([], 0.5)))
  t.strictSame(measureOf([5, 1, 4, 2, 3]), { median: 3, low: 2, high: 4 })
})

t.test('a goal is met at its bound, and missed beyond it and by NaN', async t => {
  const atMost = { goal: 'time', unit: 'ms', atMost: 25 }
  const atLeast = { goal: 'rate', unit: 'x', atLeast: 0.8 }
  t.equal(judged(atMost, 25).met, true)
  t.equal(judged(atMost, 25.1).met, false)
  t.equal(judged(atLeast, measureOf([0.7, 0.8, 0.9])).met, true)
  t.equal(judged(atLeast, 0.79).met, false)
  t.equal(judged(atMost, Number.NaN).met, false)
  t.equal(judged(atLeast, Number.NaN).met, false)
  t.strictSame(judged(atMost, 3).value, single(3))
})

t.test('figures have three digits that count', async t => {
  t.strictSame([0.756, 12.34, 1234.5, 3, 100_000].map(digits), ['0.76', '12.3', '1235', '3', '100000'])
  t.equal(grouped(100_000), '100,000')
  t.equal(spread({ median: 1.5, low: 1.25, high: 2 }), '1.50 (1.25 to 2)')
  t.equal(spread(single(2)), '2')
})

t.test('requests are due by the clock', async t => {
  t.strictSame(
    [0, 1, 2, 250].map(n => dueAt(n, 500)),
    [0, 2, 4, 500]
  )
  t.strictSame(
    [0, 1.9, 2, 500].map(milliseconds => dueBy(milliseconds, 500)),
    [1, 1, 2, 251]
  )
})

t.test('latency counts from when a request was due', async t => {
  const arrivals: Arrival[] = [
    { due: 0, begun: 1, answered: 5, status: 200 },
    { due: 250, begun: 250, answered: 1100, status: 201 },
    { due: 500, begun: 540, answered: 600, status: 503, retryAfter: true },
    { due: 600, begun: 600, answered: 701, status: 503, retryAfter: true },
    { due: 700, begun: 700, answered: 710, status: 503, retryAfter: false },
    { due: 800, begun: 800, broken: true },
    { due: 900, begun: 900 },
    { due: 950 }
  ]
  t.strictSame(tallyOf(arrivals, 1), {
    offered: 8,
    // The second success came when no more requests arrived.
    succeeded: 1,
    refused: 1,
    counts: { 200: 1, 201: 1, 503: 3, broken: 1, unanswered: 2 },
    successes: { count: 2, p50: 850, p99: 850, longest: 850 },
    refusals: { count: 2, p50: 101, p99: 101, longest: 101 },
    // The refusal that came late, the one without Retry-After, and those without an answer.
    unfit: 5,
    lateness: { count: 8, p50: 0, p99: 40, longest: 40 }
  })
  t.strictSame(tallyOf([], 1).successes, { count: 0, p50: 0, p99: 0, longest: 0 })
})

t.test('scales', async t => {
  t.strictSame(ticks(4.2), [0, 1, 2, 3, 4, 5])
  t.strictSame(ticks(1), [0, 0.2, 0.4, 0.6, 0.8, 1])
  t.strictSame(ticks(1862), [0, 500, 1000, 1500, 2000])
  t.equal(linear(0, 10, 100, 200)(2.5), 125)
  t.equal(Math.round(logarithmic(100, 10_000, 0, 200)(1000)), 100)
  t.equal(logarithmic(5, 5, 0, 200)(5), 100)
  t.strictSame(apart([50, 10, 12], 16), [50, 10, 26])
})

const texts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)
const attributes = (svg: string, pattern: RegExp) => [...svg.matchAll(pattern)].map(([, value]) => Number(value))

/** Each element that is opened is closed, in the right order. */
const isWellFormed = (svg: string) => {
  const open: string[] = []
  for (const [, end, name = '', empty] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (end && open.pop() !== name) return false
    if (!end && !empty) open.push(name)
  }
  return open.length === 0 && !/NaN|undefined|Infinity/.test(svg)
}

t.test('bars are as long as their ratios', async t => {
  const ratio = (to: string, median: number, goal?: number): Ratio => ({
    scenario: 'GET <a> & "b"',
    to,
    of: 'perSecond',
    value: single(median),
    goal
  })
  const svg = barChart('Ratios', [ratio('bare', 1, 0.75), ratio('lean', 4)])
  t.ok(isWellFormed(svg))
  const [one = 0, four = 0] = attributes(svg, /<rect x="300" y="[\d.]+" width="([\d.]+)"/g)
  t.ok(one > 0)
  t.equal(Math.round(four / one), 4)
  t.match(texts(svg), ['Ratios', 'to bare', 'to lean'])
  t.ok(texts(svg).includes('GET &lt;a&gt; &amp; &quot;b&quot;'))
  // The goal of the first bar, and the sign in the legend.
  t.equal(svg.match(/class="goal"/g)?.length, 2)
})

t.test('curves go from the smallest size to the largest', async t => {
  const points = [100, 1000, 10_000].map((x, n) => ({ x, y: { median: n + 1, low: n + 0.5, high: n + 2 } }))
  const svg = lineChart({ title: 'Growth', xTitle: 'users', yTitle: 'ms', lines: [{ name: 'GET /history', points }] })
  t.ok(isWellFormed(svg))
  const [, path = ''] = /points="([^"]+)"/.exec(svg) ?? []
  const drawn = path.split(' ').map(point => point.split(',').map(Number) as [number, number])
  t.strictSame(
    drawn.map(([x]) => x),
    drawn.map(([x]) => x).sort((a, b) => a - b)
  )
  // In SVG, y grows downwards.
  t.ok((drawn[0]?.[1] ?? 0) > (drawn[2]?.[1] ?? 0))
  t.ok(['100', '1,000', '10,000', 'GET /history'].every(text => texts(svg).includes(text)))
})

t.test('the picture of the limit shows the outcomes of all requests', async t => {
  const answered = (count: number, status: number): Arrival[] =>
    Array.from({ length: count }, (_, n) => ({ due: n, answered: n + 1, status, retryAfter: status === 503 }))
  const half = tallyOf(answered(50, 200), 1)
  const twice = tallyOf([...answered(90, 200), ...answered(60, 503), ...Array.from({ length: 50 }, (_, due) => ({ due }))], 1)
  const svg = limitsChart([{ peak: 100, half, twice, memory: [1, 2, 3], aftermath: [0, 0] }])
  t.ok(isWellFormed(svg))
  const widths = attributes(svg, /<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="34"/g)
  const [successes = 0] = widths
  t.strictSame(
    widths.map(width => Math.round((width / successes) * 50)),
    [50, 0, 0, 100, 90, 60, 50]
  )
})

t.test('a legend that is too long for the picture goes on in a second row', async t => {
  const rows = (names: string[]) => new Set([...legend(50, names).matchAll(/<text x="\d+" y="(\d+)"/g)].map(([, y]) => y))
  t.strictSame([...rows(['short', 'names'])], ['50'])
  t.strictSame([...rows(Array(6).fill('a name of some length'))], ['50', '70'])
})

t.test('the options of the command', async t => {
  const names = ['history', 'limits']
  t.match(readOptions(names, []), {
    rounds: 9,
    seconds: 1,
    histories: [100, 1000, 10_000],
    populations: [100, 1000, 10_000, 100_000],
    parts: names
  })
  t.match(readOptions(names, ['limits', '--limit-seconds', '0.5', '--histories=10,20', '--full']), {
    limitSeconds: 0.5,
    histories: [10, 20],
    populations: [100, 1000, 10_000, 100_000, 1_000_000],
    parts: ['limits']
  })
  t.equal(readOptions(names, []).write, true, 'a run of all scenarios with default sizes writes the page')
  t.equal(readOptions(names, ['--rounds', '3']).write, false)
  t.throws(() => readOptions(names, ['put']), /no part put, only: history, limits\nUsage/)
  for (const wrong of ['0', '1.5', 'many'])
    t.throws(() => readOptions(names, [`--rounds=${wrong}`]), /--rounds must be a whole number above 0/)
  t.throws(() => readOptions(names, ['--seconds=0']), /--seconds must be a number above 0/)
})
