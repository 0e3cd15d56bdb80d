import fc from 'fast-check'
import t from 'tap'
import { collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { content, episode, film } from '../helpers/documents.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'

const contents = [
  film(1),
  film(2, { duration: 6000 }),
  film(3, {
    duration: 6000,
    markers: [
      { type: 'credits', start: 5000, end: 5100 },
      { type: 'credits', start: 5400, end: null }
    ]
  }),
  film(4, { markers: [{ type: 'credits', start: 5400, end: null }] }),
  content(10),
  episode(11, 10),
  episode(12, 10, { start_date: new Date('2024-03-01') })
]

interface Position {
  time?: number
  percentage?: number
}

/** The moments of the reports are minutes of one hour. */
const at = (minute: number) => new Date(Date.UTC(2024, 1, 1, 0, minute)).toISOString()
const wireAt = (minute: number) => at(minute).replace('Z', '000Z')

const elementOf = async (viewer: Viewer, content_id: number) => collectionOf(await viewer.get(`/history?content_id=${content_id}`))[0]

const kept = (time: number, percentage = 0, minute = 0) => ({ time, percentage, observed_at: wireAt(minute) })

const traces: [what: string, reports: Position[], previous: object | null][] = [
  ['a single report', [{ time: 3000 }], null],
  ['a brief start', [{ time: 3000 }, { time: 5 }], kept(3000)],
  ['its percentage is kept, too', [{ time: 3000, percentage: 50 }, { time: 5 }], kept(3000, 50)],
  ['the last second that is brief', [{ time: 60 }, { time: 59.9 }], kept(60)],
  ['no position worth keeping', [{ time: 59.9 }, { time: 0 }], null],
  ['a position from 60 on is a seek', [{ time: 3000 }, { time: 60 }], null],
  ['the first position is kept, not those of later brief starts', [{ time: 3000 }, { time: 5 }, { time: 90 }, { time: 5 }], kept(3000)],
  ['it stays while the brief start goes on', [{ time: 3000 }, { time: 5 }, { time: 59 }, { time: 599 }], kept(3000)],
  ['it is gone when it is reached', [{ time: 300 }, { time: 5 }, { time: 299 }, { time: 300 }], null],
  ['it is gone when the viewer watches on for ten minutes', [{ time: 3000 }, { time: 5 }, { time: 600 }], null],
  ['it is gone with a completion', [{ time: 3000 }, { time: 5 }, { time: 30, percentage: 90 }], null],
  ['also with one that has no time', [{ time: 3000 }, { time: 5 }, { percentage: 90 }], null],
  ['a percentage below changes nothing', [{ time: 3000 }, { time: 5 }, { percentage: 89 }], kept(3000)],
  [
    'a completed content that is begun again',
    [
      { time: 3000, percentage: 95 },
      { time: 5, percentage: 0 }
    ],
    null
  ],
  ['a report that completes is no brief start', [{ time: 3000 }, { time: 5, percentage: 95 }], null],
  ['the next brief start after it was reached', [{ time: 300 }, { time: 5 }, { time: 400 }, { time: 6 }], kept(400, 0, 2)]
]

/** One app for all tests, each of which has viewers of its own. */
const app = await buildWith(t, { contents })

t.test('a brief start keeps the position before it', async t => {
  for (const [what, reports, previous] of traces) {
    const dated = reports.map((report, minute) => ({ content_id: 1, ...report, observed_at: at(minute) }))
    const oneByOne = await viewerOf(app)
    for (const report of dated) await watch(oneByOne, 1, report)
    t.strictSame((await elementOf(oneByOne, 1)).previous, previous, `${what}: one by one`)

    const inBatch = await viewerOf(app)
    for (let sent = 0; sent < 2; sent++) {
      t.equal((await inBatch.post('/history/batch', { reports: dated })).statusCode, 200)
      t.strictSame((await elementOf(inBatch, 1)).previous, previous, `${what}: in one batch, sent ${sent + 1} times`)
    }

    const byPut = await viewerOf(app)
    const id = await watch(byPut, 1, dated[0] as Position)
    for (const { content_id: _, ...report } of dated.slice(1)) t.equal((await byPut.put(`/history/${id}`, report)).statusCode, 200)
    t.strictSame((await elementOf(byPut, 1)).previous, previous, `${what}: by PUT`)
  }
})

t.test('an older report neither keeps nor ends it', async t => {
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { time: 3000, observed_at: at(1) })
  await watch(viewer, 1, { time: 5, observed_at: at(0) })
  t.equal((await elementOf(viewer, 1)).previous, null)
  await watch(viewer, 1, { time: 5, observed_at: at(3) })
  await watch(viewer, 1, { time: 3000, observed_at: at(2) })
  t.strictSame((await elementOf(viewer, 1)).previous, kept(3000, 0, 1))
})

t.test('no trace of a player loses a position of more than a minute', async _t => {
  const report = fc.record({
    time: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 3600 })),
    device: fc.nat(1),
    isLate: fc.boolean()
  })
  const trace = fc.array(report, { minLength: 2, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(trace, async reports => {
      const viewer = await viewerOf(app)
      const dated = reports.map(({ time, ...more }, minute) => ({ ...more, report: { content_id: 2, time, observed_at: at(minute) } }))
      // The second device is offline and sends what it has kept at the end.
      const kept = dated.filter(({ device, isLate }) => device === 1 && isLate).map(({ report }) => report)
      const live = dated.filter(({ device, isLate }) => device === 0 || !isLate).map(({ report }) => report)
      // What counts: reports in the order of their arrival, without those that are older than an earlier one.
      const counted: typeof live = []
      for (const report of [...live, ...kept]) if (report.observed_at >= (counted.at(-1)?.observed_at ?? '')) counted.push(report)
      for (const report of live) await watch(viewer, 2, report)
      if (kept.length > 0) await viewer.post('/history/batch', { reports: kept })

      const { time, previous } = await elementOf(viewer, 2)
      const last = counted.findLastIndex(({ time }) => time >= 60)
      const begun = counted.slice(last + 1)
      // A position from a minute on is the element's own, or a brief start followed it and it is in `previous`, or one before it.
      const isHeld = last < 0 || begun.length === 0 ? time === counted.at(-1)?.time : previous !== null && previous.time >= 60
      return isHeld
    }),
    { numRuns: 60 }
  )
})

t.test('cards start where the viewer was', async t => {
  const viewer = await viewerOf(app)
  const cards = async () =>
    collectionOf(await viewer.get('/continue-watching')).map(
      ({ reason, content, resume }: { reason: string; content: { id: number }; resume: object }) => ({
        reason,
        id: content.id,
        ...resume
      })
    )
  await watch(viewer, 1, { time: 3000, percentage: 50 })
  await watch(viewer, 11, { time: 60, percentage: 100 })
  t.strictSame(await cards(), [
    { reason: 'next', id: 12, time: 0, percentage: 0 },
    { reason: 'resume', id: 1, time: 3000, percentage: 50 }
  ])
  await watch(viewer, 1, { time: 0, percentage: 0 })
  t.strictSame((await cards())[0], { reason: 'resume', id: 1, time: 3000, percentage: 50 }, 'a brief start at 0 is in progress, too')
  const home = (await viewer.get('/home')).json().data.rows[0]
  t.strictSame([home.kind, home.items[0].content.id, home.items[0].resume], ['continue_watching', 1, { time: 3000, percentage: 50 }])
})

t.test('a next card starts where its content was left', async t => {
  const resumeOf = async (viewer: Viewer) => {
    const [{ reason, content, resume }] = collectionOf(await viewer.get('/continue-watching'))
    const [card] = (await viewer.get('/home')).json().data.rows[0].items
    t.strictSame(card.resume, resume, 'the same on the start page')
    return [reason, content.id, resume.time, resume.percentage]
  }
  for (const [what, reports, time, percentage] of [
    ['never begun', [], 0, 0],
    ['begun', [{ time: 900, percentage: 40 }], 900, 40],
    [
      'after a brief start',
      [
        { time: 900, percentage: 40 },
        { time: 5, percentage: 0 }
      ],
      900,
      40
    ],
    [
      'at 0 after a brief start',
      [
        { time: 900, percentage: 40 },
        { time: 0, percentage: 0 }
      ],
      900,
      40
    ],
    [
      'begun again after its completion',
      [
        { time: 2000, percentage: 95 },
        { time: 300, percentage: 9 }
      ],
      300,
      9
    ],
    ['completed', [{ time: 2000, percentage: 95 }], 0, 0]
  ] as [string, Position[], number, number][]) {
    const viewer = await viewerOf(app)
    for (const [minute, report] of reports.entries()) await watch(viewer, 12, { ...report, observed_at: at(minute) })
    // Twice, so that it was completed more often than the next one.
    for (const [minute, percentage] of [95, 0, 95].entries())
      await watch(viewer, 11, { time: 20 * percentage, percentage, observed_at: at(30 + minute) })
    t.strictSame(await resumeOf(viewer), ['next', 12, time, percentage], what)
  }
})

t.test('a removal takes the previous position along', async t => {
  const viewer = await viewerOf(app)
  const id = await watch(viewer, 1, { time: 3000 })
  await watch(viewer, 1, { time: 5 })
  t.equal((await viewer.remove(`/history/${id}`)).statusCode, 200)
  await watch(viewer, 1, { time: 6 })
  t.equal((await elementOf(viewer, 1)).previous, null)
})

t.test('a report from the last credits on completes', async t => {
  for (const [time, percentage, expected] of [
    [5000, undefined, 83.333],
    [5399, 10, 10],
    [5400, undefined, 90],
    [5400, 10, 90],
    [5900, 98, 98],
    [5999, undefined, 99.983]
  ] as const) {
    const viewer = await viewerOf(app)
    const id = await watch(viewer, 3, { time, ...(percentage !== undefined && { percentage }) })
    const posted = await elementOf(viewer, 3)
    t.equal(Math.round(posted.percentage * 1000) / 1000, expected, `at ${time} with ${percentage}`)
    t.equal(posted.plays, expected >= 90 ? 1 : 0)

    await viewer.remove(`/history/${id}`)
    const again = await watch(viewer, 3, { time: 100 })
    t.equal((await viewer.put(`/history/${again}`, { time, percentage })).statusCode, 200)
    t.equal((await elementOf(viewer, 3)).percentage, posted.percentage, 'by PUT, too')
  }
})

t.test('a report from the credits on completes a content of unknown duration', async t => {
  const viewer = await viewerOf(app)
  await watch(viewer, 4, { time: 5400 })
  const { percentage, plays } = await elementOf(viewer, 4)
  t.strictSame([percentage, plays], [90, 1])
})

t.test('a new episode leads', async t => {
  const soon = new Date(Date.now() - 3_600_000)
  const app = await buildWith(t, { contents: [...contents, content(20), episode(21, 20), episode(22, 20, { start_date: soon })] })
  const viewer = await viewerOf(app)
  const long = new Date(Date.now() - 40 * 86_400_000).toISOString()
  const day = new Date(Date.now() - 86_400_000).toISOString()
  await watch(viewer, 21, { percentage: 100, observed_at: long })
  await watch(viewer, 1, { time: 500, observed_at: day })
  await watch(viewer, 11, { percentage: 100, observed_at: long })
  const cards = async (query = '') =>
    collectionOf(await viewer.get(`/continue-watching${query}`)).map(({ content }: { content: { id: number } }) => content.id)
  t.strictSame(await cards(), [22, 1, 12])
  t.strictSame(await cards(`?since=${day}`), [22, 1])
  const [card] = collectionOf(await viewer.get('/continue-watching'))
  t.equal(card.updated_at, soon.toISOString().replace('Z', '000Z'))

  t.equal((await viewer.remove('/continue-watching/22')).statusCode, 200)
  t.strictSame(await cards(), [1, 12], 'a dismissed card stays away, although its episode is new')
})
