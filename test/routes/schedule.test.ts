import t from 'tap'
import { moveClock } from '../catalogue/helper.js'
import { assertRefused, idsOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { content, film, programme } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'

const hour = (text: string) => `2026-03-01T${text}:00Z`
const hours = (count: number) => count * 3_600_000

t.test('GET /schedule', async t => {
  const now = Date.now()
  const around = (from: number, to: number) => [new Date(now + hours(from)).toISOString(), new Date(now + hours(to)).toISOString()] as const
  const app = await buildWith(
    t,
    {
      contents: [
        content(1, { type: 'film', title: { en: 'Ridge' } }),
        content(2),
        content(3, { deleted_at: new Date(now - 1000) }),
        content(4, { start_date: new Date(now + hours(48)) }),
        content(5, { end_date: new Date(now - 1000) }),
        content(6, { countries_include: ['DE'] })
      ],
      programmes: [
        programme(12, 2, hour('10:00'), hour('11:00'), { channel: 'two' }),
        programme(11, 1, hour('10:00'), hour('12:00')),
        programme(13, 1, hour('11:00'), hour('11:30'), { channel: 'two' }),
        programme(14, 2, hour('12:00'), hour('13:00')),
        programme(15, 2, hour('08:00'), hour('09:00')),
        programme(16, 2, hour('06:00'), hour('20:00'), { channel: 'three & more' }),
        programme(20, 3, hour('10:10'), hour('10:20')),
        programme(21, 4, hour('10:10'), hour('10:20')),
        programme(22, 5, hour('10:10'), hour('10:20')),
        programme(23, 6, hour('10:15'), hour('10:20')),
        programme(24, 99, hour('10:10'), hour('10:20')),
        programme(30, 1, ...around(-2, -1)),
        programme(31, 1, ...around(-1, 1)),
        programme(32, 1, ...around(23, 26)),
        programme(33, 1, ...around(25, 26)),
        programme(40, 1, '1970-01-01T00:00:00Z', '1970-01-01T01:00:00Z')
      ]
    },
    { settings: { COUNTRY_HEADER: 'x-country' } }
  )
  const us = { 'x-country': 'US' }
  const shown = async (query: string, headers = us) => {
    const response = await app.inject({ url: `/schedule?${query}`, headers })
    if (response.statusCode !== 200) throw new Error(`${query}: ${response.body}`)
    return idsOf(response)
  }
  const window = (from: string, to: string) => `from=${hour(from)}&to=${hour(to)}`

  t.test('gives programmes with their content', async t => {
    const response = await app.inject({ url: `/schedule?${window('11:00', '11:30')}&channel=two`, headers: us })
    t.equal(response.statusCode, 200)
    const { success, data } = response.json()
    t.equal(success, true)
    t.strictSame(data.meta, { page: 1, per_page: 20, next_page: false, prev_page: false, total_pages: 1, total_count: 1 })
    const [{ content: shownContent, ...rest }] = data.collection
    t.strictSame(rest, {
      id: 13,
      channel: 'two',
      starts_at: '2026-03-01T11:00:00.000000Z',
      ends_at: '2026-03-01T11:30:00.000000Z'
    })
    const [listed] = (await app.inject('/contents?ids=1')).json().data.collection
    t.strictSame(shownContent, listed)
  })

  const windows: [string, string, number[]][] = [
    ['10:00', '12:00', [16, 11, 12, 13]],
    ['10:30', '10:40', [16, 11, 12]],
    ['11:00', '11:30', [16, 11, 13]],
    ['11:30', '12:00', [16, 11]],
    ['12:00', '13:00', [16, 14]],
    ['09:00', '10:00', [16]],
    ['08:59', '10:01', [16, 15, 11, 12]],
    ['05:00', '06:00', []],
    ['20:00', '21:00', []],
    ['00:00', '23:59', [16, 15, 11, 12, 13, 14]]
  ]
  for (const [from, to, ids] of windows) {
    t.test(`from ${from} to ${to}`, async t => t.strictSame(await shown(window(from, to)), ids))
  }

  t.test('leaves out what is not allowed in the country of the caller', async t => {
    t.strictSame(await shown(window('10:10', '10:20'), { 'x-country': 'de' }), [16, 11, 12, 23])
    const response = await app.inject({ url: `/schedule?${window('10:10', '10:20')}`, headers: us })
    t.strictSame(idsOf(response), [16, 11, 12])
    t.equal(response.json().data.meta.total_count, 3, 'nor does it count in the total')
    t.match(response.headers.vary, /\bx-country\b/i)
  })

  const channels: [string, number[]][] = [
    ['two', [12, 13]],
    ['one,two', [11, 12, 13]],
    ['two,two', [12, 13]],
    ['two&channel=one', [11, 12, 13]],
    ['three%20%26%20more', [16]],
    ['three+%26+more', [16]],
    ['none', []],
    ['tw', []],
    ['.*', []]
  ]
  for (const [channel, ids] of channels) {
    t.test(`channel ${channel}`, async t => t.strictSame(await shown(`${window('10:00', '12:00')}&channel=${channel}`), ids))
  }

  t.test('pages', async t => {
    const page = async (n: number) =>
      (await app.inject({ url: `/schedule?${window('10:00', '12:00')}&perPage=3&page=${n}`, headers: us })).json().data
    const [first, second, third] = [await page(1), await page(2), await page(3)]
    t.strictSame(
      [...first.collection, ...second.collection, ...third.collection].map(({ id }) => id),
      [16, 11, 12, 13]
    )
    t.strictSame(first.meta, { page: 1, per_page: 3, next_page: 2, prev_page: false, total_pages: 2, total_count: 4 })
    t.strictSame(third.meta, { page: 3, per_page: 3, next_page: false, prev_page: 2, total_pages: 2, total_count: 4 })
  })

  t.test('without a window, the 24 hours from now', async t => t.strictSame(await shown(''), [31, 32]))
  t.test('from alone, the 24 hours after it', async t => {
    const [from] = around(2.5, 0)
    t.strictSame(await shown(`from=${from}`), [32, 33])
    t.strictSame(await shown('from=2026-02-28T10:30:00Z'), [16, 15, 11, 12])
  })
  t.test('to alone, from now', async t => {
    t.strictSame(await shown(`to=${around(0, 30)[1]}`), [31, 32, 33])
    assertRefused(t, await app.inject(`/schedule?to=${around(0, -1)[1]}`), 'to', 'an hour ago')
  })
  t.test('the beginning of time is a moment too', async t => {
    t.strictSame(await shown('from=1970-01-01T00:00:00Z&to=1970-01-02T00:00:00Z'), [40])
    t.strictSame(await shown('from=1970-01-01T00:00:00Z'), [40])
    t.strictSame(await shown('from=1969-12-31T00:00:00Z'), [], 'a programme that begins when the window ends is outside')
    assertRefused(t, await app.inject('/schedule?to=1970-01-01T00:00:00Z'), 'to', 'long ago')
  })

  const sameMoment = [
    '2026-03-01T11:15:00Z',
    '2026-03-01t11:15:00z',
    '2026-03-01%2011:15:00Z',
    '2026-03-01T11:15:00.000Z',
    '2026-03-01T11:15:00.000000Z',
    '2026-03-01T11:15:00.0Z',
    '2026-03-01T11:15:00.000000000Z',
    '2026-03-01T11:15:00%2B00:00',
    '2026-03-01T11:15:00-00:00',
    '2026-03-01T12:15:00%2B01:00',
    '2026-03-01T12:15:00+01:00',
    '2026-03-01T12:15:00.000000+01:00',
    '2026-03-01T02:45:00-08:30',
    '2026-03-02T01:15:00+14:00',
    '2026-02-28T23:15:00-12:00'
  ]
  for (const from of sameMoment) {
    t.test(`reads ${from}`, async t => {
      t.strictSame(await shown(`from=${from}&to=2026-03-01T11:20:00Z&channel=two`), [13])
      t.strictSame(await shown(`from=${from}&to=${from.replace(':15:', ':35:')}&channel=two`), [13])
    })
  }
  t.test('reads a leap second', async t => t.strictSame(await shown('from=2016-12-31T23:59:60Z&to=2026-03-01T08:30:00Z'), [16, 15]))

  const wrong = [
    'now',
    '',
    '1772359200',
    '1772359200000',
    '2026-03-01',
    '2026-03-01T11:15',
    '2026-03-01T11:15Z',
    '2026-03-01T11:15:00',
    '2026-03-01T11:15:00%2B0100',
    '2026-03-01T11:15:00%2B01',
    '2026-03-01T24:00:00Z',
    '2026-03-01T23:60:00Z',
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-03-01T11:15:00.Z',
    '2026-03-01T11:15:00%2B24:00',
    '+002026-03-01T11:15:00Z',
    'Sun, 01 Mar 2026 11:15:00 GMT',
    '2026-03-01T11:15:00Z,2026-03-01T11:15:00Z',
    '%EF%BC%92026-03-01T11:15:00Z'
  ]
  for (const text of wrong) {
    for (const field of ['from', 'to'])
      t.test(`refuses ${field} ${JSON.stringify(text)}`, async t =>
        assertRefused(t, await app.inject(`/schedule?${field}=${text}`), field, text)
      )
  }
  const refused: [string, string][] = [
    [window('12:00', '10:00'), 'to'],
    ['from=2026-03-01T12:00:00.001Z&to=2026-03-01T12:00:00Z', 'to'],
    ['from=2026-03-01T12:00:00Z&to=2026-03-01T12:30:00%2B01:00', 'to'],
    [`from=${hour('10:00')}&from=${hour('10:00')}`, 'from'],
    ['channel=', 'channel'],
    ['perPage=101', 'perPage'],
    ['page=0', 'page']
  ]
  for (const [query, field] of refused) {
    t.test(`refuses ${query}`, async t => assertRefused(t, await app.inject(`/schedule?${query}`), field, query))
  }
  t.test('takes a window of one moment', async t => {
    t.equal((await app.inject(`/schedule?${window('12:00', '12:00')}`)).statusCode, 200)
  })
  t.test('ignores what it does not know', async t => {
    t.equal((await app.inject('/schedule?from[$gt]=&date=today')).statusCode, 200)
  })
})

const began = Date.now()
/** Moments from the start of the test on, in hours. */
const moment = (hours: number) => new Date(began + hours * 3_600_000).toISOString()
const on = (id: number, content_id: number, channel: string, from: number, to: number) =>
  programme(id, content_id, moment(from), moment(to), { channel })

interface Shown {
  channel: string
  now: { id: number; content: { id: number } } | null
  next: { id: number; content: { id: number } } | null
}

type Row = [channel: string, now: number | undefined, next: number | undefined]

t.test('GET /schedule/now', async t => {
  const app = await buildWith(
    t,
    {
      contents: [content(1), film(2), film(3, { countries_include: ['DE'] }), film(4, { deleted_at: new Date() })],
      programmes: [
        on(1, 1, 'two', -2, 2),
        on(2, 2, 'two', -1, 1),
        on(3, 1, 'two', 2, 3),
        on(4, 1, 'one & more', 3, 4),
        on(5, 2, 'evening', 25, 26),
        on(6, 2, 'old', -3, -2),
        on(7, 3, 'german', -1, 1),
        on(8, 3, 'german', 1, 2),
        on(9, 2, 'german', 3, 4),
        on(10, 4, 'gone', -1, 1),
        on(11, 99, 'gone', -1, 1),
        on(12, 2, 'last', -1, 1)
      ]
    },
    { settings: { COUNTRY_HEADER: 'x-country' } }
  )
  const to = (country: string) => ({ 'x-country': country })
  const shown = async (query = '', headers = to('US')): Promise<Row[]> => {
    const answer = await app.inject({ url: `/schedule/now${query}`, headers })
    if (answer.statusCode !== 200) throw new Error(`${query}: ${answer.body}`)
    return answer.json().data.map(({ channel, now, next }: Shown) => [channel, now?.id, next?.id])
  }
  const everything: Row[] = [
    ['german', undefined, 9],
    ['last', 12, undefined],
    ['one & more', undefined, 4],
    ['two', 2, 3]
  ]

  t.test('has the programmes that GET /schedule has', async t => {
    const listed = (await app.inject({ url: '/schedule?channel=two', headers: to('US') })).json().data.collection
    const answer = await app.inject({ url: '/schedule/now?channel=two', headers: to('US') })
    t.strictSame(answer.json(), { success: true, data: [{ channel: 'two', now: listed[1], next: listed[2] }] })
    t.strictSame([listed[1].id, listed[2].id], [2, 3], 'of two programmes that overlap, the one that began later')
    const last = (await app.inject('/schedule/now?channel=last')).json().data
    t.strictSame(Object.keys(last[0]), ['channel', 'now', 'next'])
    t.equal(last[0].next, null)
  })

  t.test('lists the channels by name, those that show something', async t => t.strictSame(await shown(), everything))

  t.test('leaves out what is not open in the country of the caller', async t => {
    t.strictSame((await shown('', to('de')))[0], ['german', 7, 8])
    t.strictSame((await shown('', to('US')))[0], ['german', undefined, 9])
  })

  const channels: [query: string, names: string[]][] = [
    ['?channel=two', ['two']],
    ['?channel=two,last', ['last', 'two']],
    ['?channel=two&channel=last', ['last', 'two']],
    ['?channel=two,two', ['two']],
    ['?channel=one%20%26%20more', ['one & more']],
    ['?channel=none', []],
    ['?channel=none,two', ['two']],
    ['?channel=old,gone,evening', []],
    ['?channel=.*', []],
    ['?page=3&perPage=1&from=x', everything.map(([name]) => name)]
  ]
  for (const [query, names] of channels)
    t.test(query, async t => {
      const found = await shown(query)
      t.strictSame(
        found.map(([name]) => name),
        names
      )
    })

  t.test('refuses channels without a name', async t => {
    const many = Array.from({ length: 101 }, (_, i) => i).join()
    for (const value of ['', 'two,', 'x'.repeat(201), many])
      assertRefused(t, await app.inject(`/schedule/now?channel=${value}`), 'channel', value.slice(0, 20))
  })

  t.test('is public, with an ETag, the same for everybody', async t => {
    const answer = await app.inject('/schedule/now')
    t.match(answer.headers, { 'cache-control': 'public, no-cache', vary: /\bx-country\b/i, etag: /^"[\w+/]{27}"$/ })
    const viewer = await viewerOf(app)
    t.equal((await viewer.get('/schedule/now')).body, answer.body)
    const known = await app.inject({ url: '/schedule/now', headers: { 'if-none-match': String(answer.headers.etag) } })
    t.strictSame([known.statusCode, known.body], [304, ''])
    const head = await app.inject({ method: 'HEAD', url: '/schedule/now' })
    t.strictSame([head.statusCode, head.body, head.headers.etag], [200, '', answer.headers.etag])
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const refused = await app.inject({ method, url: '/schedule/now', headers: viewer.headers })
      t.equal(refused.statusCode, 405, method)
      t.match(refused.headers.allow, /GET/)
    }
    t.equal((await app.inject('/schedule/later')).statusCode, 404)
  })

  t.test('a cached answer does not outlive the end of a programme, nor the start of the next', async t => {
    const seconds = (count: number) => new Date(Date.now() + count * 1000)
    await change(app, 'programmes', 12, { ends_at: seconds(20) })
    await change(app, 'programmes', 5, { channel: 'last', starts_at: seconds(40) })
    const last = async () => String((await shown('?channel=last'))[0]?.slice(1))
    await until(async () => (await last()) === '12,5')
    moveClock(t, 21_000)
    t.equal(await last(), ',5')
    moveClock(t, 20_000)
    t.equal(await last(), '5,')
  })
})

t.test('without a schedule the list is empty', async t => {
  const app = await buildWith(t, { contents: [content(1)] })
  const answer = await app.inject('/schedule/now')
  t.strictSame([answer.statusCode, answer.json()], [200, { success: true, data: [] }])
})
