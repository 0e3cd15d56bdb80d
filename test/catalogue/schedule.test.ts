import t from 'tap'
import { everybody } from '../../src/catalogue/audience.js'
import { type Programme, Schedule } from '../../src/catalogue/schedule.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { content } from '../helpers/documents.js'

const now = Date.now()
const size = 30_000
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
