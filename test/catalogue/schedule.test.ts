import t from 'tap'
import { everybody } from '../../src/catalogue/audience.js'
import { type Programme, Schedule } from '../../src/catalogue/schedule.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { content } from '../helpers/documents.js'

const now = Date.now()
const size = 100_000
const channels = 150

const skeletonOf = (count: number) => {
  const skeleton = new Skeleton()
  const one = content(1)
  for (let _id = 1; _id <= count; _id++) skeleton.put({ ...one, _id })
  return skeleton
}

/** One after the other on each channel; each hundredth goes on for a long time. */
const programmes = Array.from({ length: size }, (_, i): Programme => {
  const starts = Math.floor(i / channels) * 100
  return {
    id: i + 1,
    channel: `channel ${i % channels}`,
    starts,
    ends: starts + (i % 1000 === 0 ? 10_000 : 100),
    content_id: 1 + (i % 5000)
  }
})
const schedule = new Schedule(programmes)
const skeleton = skeletonOf(4000)
const everything = { from: 0, to: 1_000_000 }
const first = { page: 1, perPage: 100 }

t.test('a window has the programmes that overlap it', async t => {
  for (const [from, to, channel] of [
    [5000, 5050],
    [5000, 5000],
    [4999, 5001],
    [0, 1],
    [-100, 0],
    [-100, -50],
    [19_900, 40_000],
    [1_000_000, 2_000_000],
    [10_000, 15_000, ['channel 1', 'channel 100', 'none']],
    [10_000, 15_000, ['none']],
    [0, 1_000_000, ['channel 7']]
  ] as [number, number, string[]?][]) {
    const wanted = programmes.filter(
      ({ starts, ends, channel: on, content_id }) =>
        starts < Math.max(to, from + 1) && ends > from && content_id <= 4000 && (channel?.includes(on) ?? true)
    )
    const { shown, total } = schedule.page(skeleton, { from, to, ...(channel && { channel }) }, everybody, now, first)
    t.equal(total, wanted.length, `${from} to ${to}`)
    t.strictSame(
      shown.map(row => schedule.get(row)),
      wanted.slice(0, 100)
    )
  }
})

t.test('a content that is new, or a new skeleton, is looked up again', async t => {
  const skeleton = skeletonOf(1)
  const total = (skeleton: Skeleton) => schedule.page(skeleton, everything, everybody, now, first).total
  t.equal(total(skeleton), size / 5000)
  skeleton.put(content(2))
  t.equal(total(skeleton), (2 * size) / 5000)
  skeleton.put(content(2, { deleted_at: new Date(), stamp: new Date(1) }))
  t.equal(total(skeleton), size / 5000)
  t.equal(total(skeletonOf(2)), (2 * size) / 5000)
})

t.test('each audience has its own programmes', async t => {
  const skeleton = skeletonOf(1)
  skeleton.put(content(2, { countries_exclude: ['DE'] }))
  const total = (country: string | undefined) => schedule.page(skeleton, everything, { ...everybody, country }, now, first).total
  t.strictSame([total(undefined), total('DE'), total('FR')], [(2 * size) / 5000, size / 5000, (2 * size) / 5000])
})

/** The least processor time of several runs, in microseconds: what else the machine does only adds to it. */
const costOf = (run: () => unknown) =>
  Math.min(
    ...Array.from({ length: 15 }, () => {
      const began = process.cpuUsage()
      for (let i = 0; i < 10; i++) run()
      const { user, system } = process.cpuUsage(began)
      return user + system
    })
  )

t.test('the cost of a window depends on what overlaps it, not on the whole schedule', async t => {
  const day = () => schedule.page(skeleton, { from: 15_000, to: 15_200 }, everybody, now, first)
  const all = () => schedule.page(skeleton, everything, everybody, now, first)
  for (let i = 0; i < 200; i++) {
    day()
    all()
  }
  const [little, much] = [costOf(day), costOf(all)]
  t.ok(little * 3 < much, `${little} µs and ${much} µs`)
})

t.test('a filter by a hundred channels costs little more than none', async t => {
  const channel = Array.from({ length: 100 }, (_, i) => `channel ${i}`)
  const all = () => schedule.page(skeleton, everything, everybody, now, first)
  const filtered = () => schedule.page(skeleton, { ...everything, channel }, everybody, now, first)
  for (let i = 0; i < 200; i++) {
    all()
    filtered()
  }
  const [plain, many] = [costOf(all), costOf(filtered)]
  t.ok(many < 5 * plain + 1000, `${many} µs and ${plain} µs`)
})

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
const shown = (schedule: Schedule, moment: number, names?: string[], isShown: (programme: Programme) => boolean = all) =>
  schedule.onAir(names, moment, isShown).channels.map(({ channel, now, next }) => [channel, now?.id, next?.id])

t.test('a programme is on from its start until just before its end', async t => {
  const schedule = new Schedule([on('one', 1, 2), on('one', 2, 3), on('one', 5, 6)])
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
  for (const [moment, now, next] of cases) t.strictSame(shown(schedule, moment), [['one', now, next]], new Date(moment).toISOString())
  t.strictSame(shown(schedule, at(6)), [], 'nothing is on after the last programme')
})

t.test('a programme goes on across midnight', async t => {
  const schedule = new Schedule([on('one', -2, 1), on('one', 1, 3)])
  t.strictSame(shown(schedule, at(-0.5)), [['one', -2, 1]])
  t.strictSame(shown(schedule, at(0)), [['one', -2, 1]])
})

t.test('of two that overlap, the one that began later is on', async t => {
  const schedule = new Schedule(sorted([on('one', 0, 10), on('one', 1, 2), on('one', 4, 12), on('one', 5, 6)]))
  for (const [moment, now, next] of [
    [0.5, 0, 1],
    [1, 1, 4],
    [2, 0, 4],
    [4.5, 4, 5],
    [5.5, 5, undefined],
    [6, 4, undefined],
    [11, 4, undefined]
  ] as const)
    t.strictSame(shown(schedule, at(moment)), [['one', now, next]], `at ${moment}`)
})

t.test('a programme that begins in more than 24 hours is not the next one', async t => {
  const schedule = new Schedule([on('one', 0, 1), on('one', 25, 26)])
  t.strictSame(shown(schedule, at(1) - 1), [['one', 0, undefined]])
  t.strictSame(shown(schedule, at(1)), [['one', undefined, 25]])
})

t.test('a programme that is not shown makes way for the others', async t => {
  const schedule = new Schedule(sorted([on('one', 0, 4), on('one', 1, 3, 2), on('one', 5, 6, 2), on('one', 6, 7), on('two', 0, 4, 2)]))
  const isShown = ({ content_id }: Programme) => content_id === 1
  t.strictSame(shown(schedule, at(2), undefined, isShown), [['one', 0, 6]])
})

t.test('channels are sorted by name', async t => {
  const names = ['b', 'Å', 'A', 'c', 'a', 'ähnlich', 'B']
  const schedule = new Schedule(names.map(name => on(name, 0, 1)))
  const order = shown(schedule, at(0)).map(([name]) => name)
  t.strictSame(order, ['A', 'a', 'Å', 'ähnlich', 'B', 'b', 'c'])
  t.strictSame(shown(schedule, at(0), ['c', 'none', 'a']), [
    ['a', 0, undefined],
    ['c', 0, undefined]
  ])
  t.strictSame(schedule.normalized(['c', 'none', 'a', 'c']), ['a', 'c'])
  t.equal(schedule.normalized(undefined), undefined)
})

t.test('says until when an answer holds: nothing changes before that', async t => {
  const random = (n: number) => ((n * 7919 + 13) % 101) / 101
  const programmes = Array.from({ length: 60 }, (_, i) => {
    const from = Math.floor(random(i) * 200)
    return on(`channel ${i % 3}`, from, from + 1 + Math.floor(random(i + 500) * 9), i % 5)
  })
  const schedule = new Schedule(sorted(programmes))
  const isShown = ({ content_id }: Programme) => content_id !== 0
  for (const name of ['channel 0', 'channel 1', 'channel 2']) {
    let moment = at(-30)
    let steps = 0
    while (moment < at(220)) {
      const { until } = schedule.onAir([name], moment, isShown)
      t.ok(until > moment)
      const before = shown(schedule, moment, [name], isShown)
      for (let hours = Math.ceil((moment - midnight) / hour); at(hours) < Math.min(until, at(220)); hours++)
        t.strictSame(shown(schedule, at(hours), [name], isShown), before, `${name} at ${hours}`)
      t.strictSame(shown(schedule, Math.min(until, at(220)) - 1, [name], isShown), before)
      moment = until
      steps++
    }
    t.ok(steps > 10, `${steps} changes`)
    t.equal(moment, Number.POSITIVE_INFINITY, 'nothing changes after the last programme')
  }
  t.equal(
    new Schedule([on('one', 0, 2), on('two', 1, 3)]).onAir(undefined, at(1), all).until,
    at(2),
    'the earliest change of all channels counts'
  )
  t.equal(
    new Schedule([on('one', 0, 2), on('one', 26, 27)]).onAir(undefined, at(0), all).until,
    at(2),
    'at this moment the next programme begins in 24 hours'
  )
})
