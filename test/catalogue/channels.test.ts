import t from 'tap'
import { Channels, type Programme } from '../../src/catalogue/schedule.js'

const hour = 3_600_000
const midnight = Date.UTC(2026, 2, 1)
const at = (hours: number) => midnight + hours * hour

/** A programme of a content with the number of its start. */
const on = (channel: string, from: number, to: number, content_id = 1): Programme => ({
  id: from,
  channel,
  starts: at(from),
  ends: at(to),
  content_id
})
const sorted = (programmes: Programme[]) => programmes.sort((a, b) => a.starts - b.starts)
const all = () => true

/** The starts, in hours, of what is on and what follows, by channel. */
const shown = (channels: Channels, moment: number, names?: string[], isShown: (programme: Programme) => boolean = all) =>
  channels.onAir(names, moment, isShown).channels.map(({ channel, now, next }) => [channel, now?.id, next?.id])

t.test('a programme is on from its start until just before its end', async t => {
  const channels = new Channels([on('one', 1, 2), on('one', 2, 3), on('one', 5, 6)])
  const cases: [moment: number, now: number | undefined, next: number | undefined][] = [
    [at(1) - 1, undefined, 1],
    [at(1), 1, 2],
    [at(2) - 1, 1, 2],
    [at(2), 2, 5],
    [at(3) - 1, 2, 5],
    [at(3), undefined, 5],
    [at(5), 5, undefined],
    [at(6) - 1, 5, undefined]
  ]
  for (const [moment, now, next] of cases) t.strictSame(shown(channels, moment), [['one', now, next]], new Date(moment).toISOString())
  t.strictSame(shown(channels, at(6)), [], 'nothing is on after the last programme')
})

t.test('a programme goes on across midnight', async t => {
  const channels = new Channels([on('one', -2, 1), on('one', 1, 3)])
  t.strictSame(shown(channels, at(-0.5)), [['one', -2, 1]])
  t.strictSame(shown(channels, at(0)), [['one', -2, 1]])
})

t.test('of two that overlap, the one that began later is on', async t => {
  const channels = new Channels(sorted([on('one', 0, 10), on('one', 1, 2), on('one', 4, 12), on('one', 5, 6)]))
  for (const [moment, now, next] of [
    [0.5, 0, 1],
    [1, 1, 4],
    [2, 0, 4],
    [4.5, 4, 5],
    [5.5, 5, undefined],
    [6, 4, undefined],
    [11, 4, undefined]
  ] as const)
    t.strictSame(shown(channels, at(moment)), [['one', now, next]], `at ${moment}`)
})

t.test('a programme that begins in more than 24 hours is not the next one', async t => {
  const channels = new Channels([on('one', 0, 1), on('one', 25, 26)])
  t.strictSame(shown(channels, at(1) - 1), [['one', 0, undefined]])
  t.strictSame(shown(channels, at(1)), [['one', undefined, 25]])
})

t.test('a programme that is not shown makes way for the others', async t => {
  const channels = new Channels(sorted([on('one', 0, 4), on('one', 1, 3, 2), on('one', 5, 6, 2), on('one', 6, 7), on('two', 0, 4, 2)]))
  const isShown = ({ content_id }: Programme) => content_id === 1
  t.strictSame(shown(channels, at(2), undefined, isShown), [['one', 0, 6]])
})

t.test('channels are sorted by name', async t => {
  const names = ['b', 'Å', 'A', 'c', 'a', 'ähnlich', 'B']
  const channels = new Channels(names.map(name => on(name, 0, 1)))
  const order = shown(channels, at(0)).map(([name]) => name)
  t.strictSame(order, ['A', 'a', 'Å', 'ähnlich', 'B', 'b', 'c'])
  t.strictSame(shown(channels, at(0), ['c', 'none', 'a']), [
    ['a', 0, undefined],
    ['c', 0, undefined]
  ])
  t.strictSame(channels.normalized(['c', 'none', 'a', 'c']), ['a', 'c'])
  t.equal(channels.normalized(undefined), undefined)
})

t.test('says until when an answer holds: nothing changes before that, and something does then', async t => {
  const random = (n: number) => ((n * 7919 + 13) % 101) / 101
  const programmes = Array.from({ length: 60 }, (_, i) => {
    const from = Math.floor(random(i) * 200)
    return on(`channel ${i % 3}`, from, from + 1 + Math.floor(random(i + 500) * 9), i % 5)
  })
  const channels = new Channels(sorted(programmes))
  const isShown = ({ content_id }: Programme) => content_id !== 0
  for (const name of ['channel 0', 'channel 1', 'channel 2']) {
    let moment = at(-30)
    let steps = 0
    while (moment < at(220)) {
      const { until } = channels.onAir([name], moment, isShown)
      t.ok(until > moment)
      const before = shown(channels, moment, [name], isShown)
      for (let hours = Math.ceil((moment - midnight) / hour); at(hours) < Math.min(until, at(220)); hours++)
        t.strictSame(shown(channels, at(hours), [name], isShown), before, `${name} at ${hours}`)
      t.strictSame(shown(channels, Math.min(until, at(220)) - 1, [name], isShown), before)
      moment = until
      steps++
    }
    t.ok(steps > 10, `${steps} changes`)
    t.equal(moment, Number.POSITIVE_INFINITY, 'nothing changes after the last programme')
  }
  t.equal(
    new Channels([on('one', 0, 2), on('two', 1, 3)]).onAir(undefined, at(1), all).until,
    at(2),
    'the earliest change of all channels counts'
  )
})
