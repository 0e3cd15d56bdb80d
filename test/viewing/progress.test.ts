import type { Document } from 'mongodb'
import t from 'tap'
import type { HistoryStatus } from '../../schemas/history.js'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { isBegun, isResumable, type Progress, resumableFilter } from '../../src/viewing/progress.js'
import { build } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n))
const completedAt = 90

t.test('completions', async t => {
  const app = await build(t)
  const db = databaseOf(app)
  const collection = db.collection<HistoryDocument>('history')
  const { history, reports } = app.data
  let users = 0

  const elementOf = async (user_id: number) => (await history.list(user_id, { page: 1, perPage: 1 })).elements[0] as HistoryDocument
  const counted = async (user_id: number) => {
    const { plays, watched_at } = await elementOf(user_id)
    return [plays, watched_at]
  }
  /** Reports, one a minute. A number is a percentage, a string is a time without a percentage. */
  const minutely = (...percentages: (number | string)[]): Progress[] =>
    percentages.map((percentage, n) => ({
      ...(typeof percentage === 'number' ? { percentage } : { time: Number(percentage) }),
      observed_at: minute(n + 1)
    }))
  const play = async (user_id: number, progress: Progress[]) => {
    for (const one of progress) await reports.put(user_id, { content_id: 1, progress: one })
  }

  const cases: [string, Progress[], [number | undefined, Date | undefined]][] = [
    ['nothing yet', minutely(0, 10, 89.9), [undefined, undefined]],
    ['one viewing', minutely(0, 50, 90), [1, minute(3)]],
    ['at once', minutely(100), [1, minute(1)]],
    ['on to the end of the credits', minutely(90, 95, 100), [1, minute(1)]],
    ['to and fro in the credits', minutely(95, 85, 95, 50, 92), [1, minute(1)]],
    ['to and fro, down to 10', minutely(95, 10, 95), [1, minute(1)]],
    ['back below 10', minutely(95, 9.9, 95), [2, minute(3)]],
    ['back below 10, and on in steps', minutely(95, 0, 40, 95), [2, minute(4)]],
    ['begun again', minutely(95, 0, 40), [1, minute(1)]],
    ['three viewings', minutely(100, 0, 100, 5, 100), [3, minute(5)]],
    ['the time alone', minutely(95, '0', '70'), [1, minute(1)]],
    [
      'a late report of a completion',
      [
        { percentage: 20, observed_at: minute(5) },
        { percentage: 95, observed_at: minute(4) }
      ],
      [undefined, undefined]
    ],
    [
      'a late report of a beginning',
      [...minutely(95), { percentage: 0, observed_at: minute(0) }, { percentage: 95, observed_at: minute(2) }],
      [1, minute(1)]
    ]
  ]
  for (const [name, progress, expected] of cases) {
    const user_id = ++users
    await play(user_id, progress)
    t.strictSame(await counted(user_id), expected, name)
  }

  t.test('the same reports sent again change nothing', async t => {
    const inAnHour = (ms: number) => new Date(hour + ms)
    const hour = Date.now() + 3_600_000
    const percent = (observed_at: Date | undefined, ...percentages: number[]): Progress[] =>
      percentages.map(percentage => ({ percentage, observed_at }))
    const send = (user_id: number, sent: Progress[]) =>
      sent.length === 1
        ? reports.put(user_id, { content_id: 1, progress: sent[0] as Progress })
        : reports.putAll(
            user_id,
            sent.map(progress => ({ content_id: 1, progress }))
          )
    const sentBefore: [string, Progress[]][] = [
      ['nothing', []],
      ['a completion', percent(minute(1), 95)]
    ]
    const batches: [string, Progress[]][] = [
      ['a report', percent(minute(5), 95)],
      ['a report of the future', percent(inAnHour(0), 95)],
      ['equal ones', percent(minute(5), 100, 3, 100)],
      ['equal ones that end at the beginning', percent(minute(5), 95, 3)],
      ['equal ones that begin there', percent(minute(5), 3, 95)],
      ['newer and newer ones', [...percent(minute(5), 100), ...percent(minute(6), 3), ...percent(minute(7), 100, 3)]],
      ['equal ones of the future', percent(inAnHour(0), 100, 3, 100)],
      ['newer and newer ones of the future', [0, 1, 2].flatMap(n => percent(inAnHour(n), n === 1 ? 3 : 100))],
      ['some of the future', [...percent(minute(5), 100), ...percent(inAnHour(0), 3, 100)]]
    ]
    for (const [before, first] of sentBefore)
      for (const [what, batch] of batches) {
        const user_id = ++users
        if (first.length > 0) await send(user_id, first)
        await send(user_id, batch)
        const { arrived_at, event: _, ...once } = await elementOf(user_id)
        for (const more of [[], percent(inAnHour(9), 95)]) {
          await send(user_id, [...batch, ...more])
          const { arrived_at, event: __, ...again } = await elementOf(user_id)
          if (more.length > 0)
            t.equal(again.plays, Number(once.plays) + (once.percentage < 90 ? 1 : 0), `${what} after ${before}, and another one`)
          else t.strictSame(again, once, `${what} after ${before}`)
        }
        t.notOk('before' in (await elementOf(user_id)), 'nothing else is left in the element')
      }
  })

  t.test('equal reports of several requests count', async t => {
    const user_id = ++users
    const at = { observed_at: minute(1) }
    for (const progress of [{ percentage: 50 }, { time: 90 }, { percentage: 95 }])
      await reports.put(user_id, { content_id: 1, progress: { ...progress, ...at } })
    t.match(await elementOf(user_id), { time: 90, percentage: 95, plays: 1 })
  })

  t.test('the highest number of plays stays', async t => {
    const user_id = ++users
    const plays = Number.MAX_SAFE_INTEGER
    await collection.insertOne({
      user_id,
      content_id: 1,
      time: 5,
      percentage: 5,
      plays,
      created_at: minute(0),
      updated_at: minute(1)
    } as never)
    await reports.put(user_id, { content_id: 1, progress: { percentage: 95 } })
    t.match(await elementOf(user_id), { percentage: 95, plays })
  })

  t.test('concurrent completions count as one', async t => {
    for (let round = 0; round < 20; round++) {
      const user_id = ++users
      if (round % 2) await reports.put(user_id, { content_id: 1, progress: { percentage: 50 } })
      await Promise.all(Array.from({ length: 8 }, (_, n) => reports.put(user_id, { content_id: 1, progress: { percentage: 90 + n } })))
      t.equal((await elementOf(user_id)).plays, 1)
    }
  })

  t.test('an update by id counts as well', async t => {
    const user_id = ++users
    const id = String(await reports.put(user_id, { content_id: 1, progress: { percentage: 50, observed_at: minute(1) } }))
    await reports.update(user_id, id, { percentage: 95, observed_at: minute(2) })
    t.strictSame(await counted(user_id), [1, minute(2)])
    t.strictSame([(await history.byId(user_id, id)).plays, (await history.resumable(user_id, [1]))[0]?.plays], [1, 1])
  })

  t.test('status=watched has what was completed once, wherever the position is', async t => {
    const user_id = ++users
    const of = (content_id: number, ...percentages: number[]) =>
      Promise.all(minutely(...percentages).map(progress => reports.put(user_id, { content_id, progress })))
    for (const [content_id, percentages] of [
      [1, [95]],
      [2, [95, 3]],
      [3, [50]],
      [4, [0]]
    ] as [number, number[]][])
      for (const progress of minutely(...percentages)) await reports.put(user_id, { content_id, progress })
    await of(5, 100)
    await collection.insertMany(
      [95, 20].map(
        (percentage, n) => ({ user_id, content_id: 6 + n, time: 1, percentage, created_at: minute(0), updated_at: minute(1) }) as never
      )
    )
    const ids = async (status: HistoryStatus) => {
      const { elements, total } = await history.list(user_id, { status, page: 1, perPage: 100 })
      t.equal(total, elements.length)
      return elements.map(({ content_id }) => content_id).sort()
    }
    t.strictSame(await ids('watched'), [1, 2, 5])
    t.strictSame(await ids('completed'), [1, 5, 6])
    t.strictSame(await ids('in_progress'), [2, 3, 7])
    const whole = await history.latestHiddenAndDismissed(user_id)
    t.strictSame(
      new Map(whole.content_ids.map((id, i) => [id, whole.plays[i]])),
      new Map([1, 2, 3, 4, 5, 6, 7].map(id => [id, [1, 2, 5, 6].includes(id) ? 1 : 0]))
    )
  })

  t.test('filters and code agree on what other software wrote', async t => {
    const user_id = ++users
    const values = [undefined, null, 0, 50, 90, 100, Number.NaN, -5]
    const states = values.flatMap(percentage =>
      values.flatMap(time => values.map(other => ({ percentage, time, plays: other, previous_time: other })))
    )
    const dates = { created_at: minute(0), updated_at: minute(1) }
    const present = (state: object) => Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined))
    await collection.insertMany(
      states.map((state, content_id) => ({ user_id, content_id, ...dates, ...present(state) }) as never),
      { bypassDocumentValidation: true }
    )

    const idsOf = (elements: { content_id: number }[]) => elements.map(({ content_id }) => content_id).sort((a, b) => a - b)
    const listed = async (status: HistoryStatus) => {
      const { elements, total } = await history.list(user_id, { status, page: 1, perPage: 1000 })
      t.equal(total, elements.length, status)
      return idsOf(elements)
    }
    const meant = (isMeant: (percentage: number, time: number, plays: number) => boolean) =>
      states.flatMap(({ percentage, time, plays }, i) => (isMeant(percentage ?? 0, time ?? 0, plays ?? 0) ? i : []))
    t.strictSame(
      await listed('completed'),
      meant(percentage => percentage >= completedAt)
    )
    t.strictSame(
      await listed('watched'),
      meant((_percentage, _time, plays) => plays >= 1)
    )
    t.strictSame(
      await listed('in_progress'),
      meant((percentage, time) => !(percentage >= completedAt) && (percentage > 0 || time > 0))
    )

    const whole = await history.latestHiddenAndDismissed(user_id)
    const inCode = (isMeant: (history: typeof whole, i: number) => boolean) =>
      idsOf(whole.content_ids.flatMap((content_id, i) => (isMeant(whole, i) ? { content_id: content_id as number } : [])))
    const found = async (filter: Document) => idsOf(await collection.find({ user_id, ...filter }).toArray())
    t.strictSame(inCode(isResumable), await found(resumableFilter))
    const isCompleted = { percentage: { $gte: completedAt } }
    t.strictSame(inCode(isBegun), await found({ $or: [...resumableFilter.$or, { plays: { $gt: 0 } }, isCompleted] }))
  })

  t.test('only late reports are marked with their arrival', async t => {
    const user_id = ++users
    const arrival = async () => (await elementOf(user_id)).arrived_at
    const began = Date.now() - 1000
    await reports.put(user_id, { content_id: 1, progress: { time: 1 } })
    t.equal(await arrival(), undefined)
    await reports.put(user_id, { content_id: 1, progress: { time: 2, observed_at: minute(1) } })
    t.equal(await arrival(), undefined, 'a report that changes nothing')
    await reports.put(user_id, { content_id: 1, progress: { time: 3, observed_at: new Date(Date.now() + 60_000) } })
    t.ok(((await arrival()) as Date).getTime() > began)
    await reports.put(user_id, { content_id: 1, progress: { time: 4 } })
    t.equal(await arrival(), undefined)
  })
})
