import t from 'tap'
import { moveClock } from '../catalogue/helper.js'
import { assertRefused } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { content, film, programme } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'

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
