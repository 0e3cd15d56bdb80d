import t, { type Test } from 'tap'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import { assertRefused, idsOf, notFound } from '../helpers/answers.js'
import { type App, buildWith } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { content, term } from '../helpers/documents.js'
import { until } from '../helpers/until.js'

const day = (text: string) => new Date(`${text}T00:00:00Z`)
const sorted = (ids: number[]) => [...ids].sort((a, b) => a - b)

/** The ids of a list, as a set: the order has tests of its own. */
const found = async (app: App, query: string, headers = {}) => {
  const response = await app.inject({ url: `/contents?perPage=100&${query}`, headers })
  if (response.statusCode !== 200) throw new Error(`${query}: ${response.statusCode} ${response.body}`)
  return sorted(idsOf(response))
}

t.test('GET /contents', async t => {
  const app = await buildWith(t, {
    contents: [
      content(1, { type: 'show', terms: [10] }),
      content(2, { type: 'show', terms: [11, 12] }),
      content(3, { type: 'episode', parent_id: 1, terms: [10, 11] }),
      content(4, { type: 'episode', parent_id: 2 }),
      content(5, { type: 'film', terms: [12] }),
      content(6, { type: 'episode', parent_id: 2, terms: [12] }),
      content(7, { type: 'live-event_2', terms: [100] })
    ]
  })

  const filters: [string, number[]][] = [
    ['', [1, 2, 3, 4, 5, 6, 7]],
    ['type=show', [1, 2]],
    ['type=show,film', [1, 2, 5]],
    ['type=film,show,film', [1, 2, 5]],
    ['type=show%2Cfilm', [1, 2, 5]],
    ['type=live-event_2', [7]],
    ['type=nothing', []],
    ['type=sho', []],
    ['type=.*', []],
    ['type=constructor,__proto__', []],
    ['parent_id=1', [3]],
    ['parent_id=2', [4, 6]],
    ['parent_id=1,2', [3, 4, 6]],
    ['parent_id=99', []],
    ['terms=10', [1, 3]],
    ['terms=1', []],
    ['terms=10,12', [1, 2, 3, 5, 6]],
    ['terms=11,12', [2, 3, 5, 6]],
    ['ids=5', [5]],
    ['ids=5,1,5,99', [1, 5]],
    ['ids=9007199254740993', []],
    ['type=show&type=film', [1, 2, 5]],
    ['type=show,episode&type=film&type=show', [1, 2, 3, 4, 5, 6]],
    ['terms=10&terms=12', [1, 2, 3, 5, 6]],
    ['ids=5&ids=1&ids=99', [1, 5]],
    ['type=episode&parent_id=2', [4, 6]],
    ['type=episode&terms=12', [6]],
    ['type=episode,film&terms=12,10', [3, 5, 6]],
    ['type=episode&parent_id=1,2&terms=11,12', [3, 6]],
    ['type=show&parent_id=1', []],
    ['ids=1,2,3&type=show', [1, 2]],
    ['ids=1,2,3&terms=11', [2, 3]],
    ['ids=3,4,6&parent_id=2&terms=12&type=episode', [6]],
    ['ids=3,4,6&search=content', [3, 4, 6]],
    ['ids=3,4,6&search=6', [6]],
    ['search=content&type=film', [5]],
    ['search=content&parent_id=2&terms=12', [6]],
    ['type[$ne]=show', [1, 2, 3, 4, 5, 6, 7]],
    ['type[]=show', [1, 2, 3, 4, 5, 6, 7]],
    ['search[$regex]=zzz', [1, 2, 3, 4, 5, 6, 7]],
    ['unknown=1&perpage=2&$where=1&__proto__=x&constructor=y', [1, 2, 3, 4, 5, 6, 7]]
  ]
  for (const [query, ids] of filters) {
    t.test(`filters by ${query || 'nothing'}`, async t => {
      t.strictSame(await found(app, query), ids)
      const { meta } = (await app.inject(`/contents?${query}`)).json().data
      t.equal(meta.total_count, ids.length)
    })
  }

  t.test('gives contents in their wire form', async t => {
    const { success, data } = (await app.inject('/contents?ids=3')).json()
    t.equal(success, true)
    t.strictSame(data, {
      collection: [
        {
          id: 3,
          parent_id: 1,
          type: 'episode',
          handler: 'vimeo',
          handler_type: 'entry',
          handler_id: 'media-3',
          name: 'Content 3',
          title: {},
          description: {},
          weight: null,
          thumbnail: 'https://images.example/3.jpg',
          thumbnail_handler: 'vimeo',
          keywords: '',
          pricing: null,
          payments_asset_id: null,
          purchaseable: 0,
          start_date: '2020-01-02T03:04:05.678000Z',
          end_date: null,
          countries_include: null,
          countries_exclude: null,
          created_at: '2020-01-02T03:04:05.678000Z',
          updated_at: '2020-01-02T03:04:05.678000Z',
          currency: null,
          price: null,
          price_formatted: null,
          plans: {},
          link: 'https://example.com/watch/3'
        }
      ],
      meta: { page: 1, per_page: 20, next_page: false, prev_page: false, total_pages: 1, total_count: 1 }
    })
  })

  const refused: [string, string][] = [
    ['perPage=0', 'perPage'],
    ['perPage=101', 'perPage'],
    ['perPage=x', 'perPage'],
    ['perPage=1e2', 'perPage'],
    ['perPage=0x10', 'perPage'],
    ['perPage=%2B5', 'perPage'],
    ['perPage=+5', 'perPage'],
    ['perPage=-1', 'perPage'],
    ['perPage=', 'perPage'],
    ['perPage=5.0', 'perPage'],
    ['perPage=5%20', 'perPage'],
    ['perPage=null', 'perPage'],
    ['perPage=%D9%A5', 'perPage'],
    ['perPage=5,5', 'perPage'],
    ['perPage=5&perPage=5', 'perPage'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=', 'page'],
    ['page=1.5', 'page'],
    ['page=true', 'page'],
    ['page=1&page=2', 'page'],
    ['page=99999999999999999999', 'page'],
    ['ids=', 'ids'],
    ['ids=a', 'ids'],
    ['ids=1,', 'ids'],
    ['ids=1,,2', 'ids'],
    ['ids=1,0x2', 'ids'],
    ['ids=-1', 'ids'],
    ['terms=yoga', 'terms'],
    ['parent_id=null', 'parent_id'],
    ['parent_id=1.5', 'parent_id'],
    ['type=', 'type'],
    ['order_by=id', 'order_by'],
    ['order_by=', 'order_by'],
    ['order_by=NAME', 'order_by'],
    ['order_by=name,weight', 'order_by'],
    ['order_by=__proto__', 'order_by'],
    ['order_by=name&order_by=name', 'order_by'],
    ['order_direction=up', 'order_direction'],
    ['order_direction=', 'order_direction'],
    ['search=a&search=b', 'search'],
    ['search=', 'search'],
    ['search=%20', 'search'],
    ['search=!?.-', 'search'],
    ['search=...%E2%80%A6', 'search'],
    ['search=%F0%9F%98%80', 'search'],
    ['search=%CC%81', 'search'],
    ['search=a+b+c+d+e+f+g+h+i', 'search'],
    ['search=a-a-a-a-a-a-a-a-a', 'search']
  ]
  for (const [query, field] of refused) {
    t.test(`refuses ${query}`, async t => assertRefused(t, await app.inject(`/contents?${query}`), field, query))
  }

  t.test('names every fault of a query', async t => {
    const { errors } = (await app.inject('/contents?perPage=0&page=x&order_by=y')).json()
    t.strictSame(errors.map(({ field }: { field: string }) => field).sort(), ['order_by', 'page', 'perPage'])
  })

  t.test('refuses a malformed percent-encoding', async t => {
    const response = await app.inject('/contents?type=%zz')
    t.equal(response.statusCode, 400)
    t.match(response.json(), { success: false, code: 400, message: String })
  })
})

t.test('the meta of GET /contents', async t => {
  const app = await buildWith(t, { contents: Array.from({ length: 41 }, (_, i) => content(i + 1)) })
  const cases: [string, object, number][] = [
    ['', { page: 1, per_page: 20, next_page: 2, prev_page: false, total_pages: 3, total_count: 41 }, 20],
    ['page=2', { page: 2, per_page: 20, next_page: 3, prev_page: 1, total_pages: 3, total_count: 41 }, 20],
    ['page=3', { page: 3, per_page: 20, next_page: false, prev_page: 2, total_pages: 3, total_count: 41 }, 1],
    ['page=4', { page: 4, per_page: 20, next_page: false, prev_page: 3, total_pages: 3, total_count: 41 }, 0],
    ['page=1000', { page: 1000, per_page: 20, next_page: false, prev_page: 3, total_pages: 3, total_count: 41 }, 0],
    [
      `page=${Number.MAX_SAFE_INTEGER}&perPage=100`,
      { page: Number.MAX_SAFE_INTEGER, per_page: 100, next_page: false, prev_page: 1, total_pages: 1, total_count: 41 },
      0
    ],
    ['perPage=100', { page: 1, per_page: 100, next_page: false, prev_page: false, total_pages: 1, total_count: 41 }, 41],
    ['perPage=1&page=41', { page: 41, per_page: 1, next_page: false, prev_page: 40, total_pages: 41, total_count: 41 }, 1],
    ['perPage=41', { page: 1, per_page: 41, next_page: false, prev_page: false, total_pages: 1, total_count: 41 }, 41],
    ['perPage=40', { page: 1, per_page: 40, next_page: 2, prev_page: false, total_pages: 2, total_count: 41 }, 40],
    ['type=none', { page: 1, per_page: 20, next_page: false, prev_page: false, total_pages: 0, total_count: 0 }, 0],
    ['type=none&page=7', { page: 7, per_page: 20, next_page: false, prev_page: false, total_pages: 0, total_count: 0 }, 0],
    ['search=nowhere', { page: 1, per_page: 20, next_page: false, prev_page: false, total_pages: 0, total_count: 0 }, 0]
  ]
  for (const [query, meta, count] of cases) {
    t.test(query || 'without a query', async t => {
      const response = await app.inject(`/contents?${query}`)
      t.equal(response.statusCode, 200)
      t.strictSame(response.json().data.meta, meta)
      t.equal(response.json().data.collection.length, count)
    })
  }

  for (const query of [
    '',
    ...['start_date', 'created_at', 'name', 'weight'].flatMap(field => [`order_by=${field}`, `order_by=${field}&order_direction=ASC`]),
    'search=content',
    'ids=1,2,3,4,5,6,7,8,9,10,11,12&order_by=created_at'
  ]) {
    t.test(`pages over equal keys have neither doubles nor gaps: ${query}`, async t => {
      const ids: number[] = []
      for (let page: number | false = 1; page; ) {
        const response = await app.inject(`/contents?perPage=7&page=${page}&${query}`)
        ids.push(...idsOf(response))
        page = response.json().data.meta.next_page as number | false
      }
      t.strictSame(
        sorted(ids),
        Array.from({ length: query.startsWith('ids') ? 12 : 41 }, (_, i) => i + 1)
      )
    })
  }
})

t.test('the orders of GET /contents', async t => {
  const app = await buildWith(t, {
    contents: [
      content(1, { name: 'Delta', weight: 5, start_date: day('2021-01-01'), created_at: day('2022-05-01') }),
      content(2, { name: 'alpha', weight: null, start_date: day('2021-01-05'), created_at: day('2022-04-01') }),
      content(3, { name: 'Élan', weight: -1, start_date: day('2021-01-02'), created_at: day('2022-03-01') }),
      content(4, { name: 'Beta', weight: 5, start_date: day('2021-01-04'), created_at: day('2022-02-01') }),
      content(5, { name: 'charlie', weight: null, start_date: day('2021-01-03'), created_at: day('2022-01-01') }),
      content(6, { name: 'Foxtrot', weight: 0, start_date: day('2021-01-06'), created_at: day('2021-12-01') })
    ]
  })
  const orders: [string, number[]][] = [
    ['', [4, 1, 6, 3, 2, 5]],
    ['order_by=weight', [4, 1, 6, 3, 2, 5]],
    ['order_by=weight&order_direction=DESC', [4, 1, 6, 3, 2, 5]],
    ['order_by=start_date', [6, 2, 4, 5, 3, 1]],
    ['order_by=start_date&order_direction=ASC', [1, 3, 5, 4, 2, 6]],
    ['order_by=created_at', [1, 2, 3, 4, 5, 6]],
    ['order_by=created_at&order_direction=asc', [6, 5, 4, 3, 2, 1]],
    ['order_by=name&order_direction=ASC', [2, 4, 5, 1, 3, 6]],
    ['order_by=name&order_direction=DESC', [6, 3, 1, 5, 4, 2]],
    ['order_by=name&order_direction=desc', [6, 3, 1, 5, 4, 2]],
    ['ids=1,2,3&order_by=created_at&order_direction=ASC', [3, 2, 1]],
    ['ids=6,2,4', [4, 6, 2]]
  ]
  for (const [query, ids] of orders) {
    t.test(query || 'without a query', async t => t.strictSame(idsOf(await app.inject(`/contents?${query}`)), ids))
  }

  t.test('by weight upwards, contents without one come last too', async t => {
    const ids = idsOf(await app.inject('/contents?order_by=weight&order_direction=ASC'))
    t.strictSame(ids.slice(0, 2), [3, 6])
    t.strictSame(sorted(ids.slice(2, 4)), [1, 4])
    t.strictSame(sorted(ids.slice(4)), [2, 5])
  })
})

t.test('the order of a search', async t => {
  const app = await buildWith(t, {
    terms: [term(1, { name: 'Open Water' }), term(2, { name: 'Climbing' })],
    contents: [
      content(1, { name: 'The Harbour', weight: 1 }),
      content(2, { name: 'Harbour', weight: null, title: { de: 'Der Hafen' } }),
      content(3, { name: 'Harbourside Tales', weight: 9 }),
      content(4, { name: 'Sailing', keywords: 'harbour, boat', weight: 8 }),
      content(5, { name: 'Fog', description: { en: 'A harbour in the fog' }, weight: 7 }),
      content(6, { name: 'Harbor', weight: 6 }),
      content(7, { name: 'Tides', terms: [1], weight: 2, type: 'film' }),
      content(8, { name: 'Open and Shut', description: { en: 'Water everywhere' }, weight: 5, type: 'film' }),
      content(9, { name: 'Water, open!', weight: 3, type: 'film' }),
      content(10, { name: 'Spider-Man', weight: 1 }),
      content(11, { name: 'The Man with a Spider', weight: 9 }),
      content(12, { name: 'Se7en', weight: 4 }),
      content(13, { name: 'Rock', description: { en: 'A climbing wall' }, terms: [2], weight: 1 })
    ]
  })
  const at = async (query: string) => idsOf(await app.inject(`/contents?perPage=100&${query}`))
  const orders: [string, number[]][] = [
    ['search=harbour', [2, 1, 3, 4, 5, 6]],
    ['search=HARBOUR!', [2, 1, 3, 4, 5, 6]],
    ['search=harbour&order_direction=asc', [2, 1, 3, 4, 5, 6]],
    ['search=harbour&order_by=weight', [3, 4, 5, 1, 2, 6]],
    ['search=harbour&order_by=name&order_direction=asc', [5, 2, 3, 4, 1, 6]],
    ['search=der-hafen', [2]],
    ['search=harbuor', [6, 1, 2, 3, 4, 5]],
    ['search=harbour+fog', [5]],
    ['search=open+water', [9, 7, 8]],
    ['search=open+watre', [9, 7, 8]],
    ['search=water,+open', [9, 7, 8]],
    ['search=spider+man', [10, 11]],
    ['search=spiderman', [10]],
    ['search=climbing', [13]],
    ['search=clmbing', [13]],
    ['search=7en', []],
    ['search=se7en', [12]],
    ['search=s7een', []],
    ['search=sevne', []]
  ]
  for (const [query, ids] of orders) t.test(query, async t => t.strictSame(await at(query), ids))

  t.test('names of terms are searched as they are now', async t => {
    await change(app, 'terms', 2, { name: 'Bouldering' })
    await until(async () => (await app.inject('/contents?search=bouldering')).json().data?.meta.total_count === 1)
    t.strictSame(await at('search=climbing'), [13], 'the description still has it')
  })
})

t.test('typos in the search of GET /contents', async t => {
  const many = (count: number, first: number, given: Partial<ContentDocument>) =>
    Array.from({ length: count }, (_, n) => content(first + n, given))
  const app = await buildWith(t, {
    contents: [
      ...many(9, 1, { name: 'Mountain', type: 'film' }),
      ...many(3, 21, { name: 'Mountxin', type: 'film', weight: 9 }),
      ...many(4, 31, { name: 'Mountain', type: 'show' }),
      ...many(2, 41, { name: 'Mountain', type: 'episode', min_age: 6 }),
      content(51, { name: 'Elephants', type: 'short' })
    ]
  })
  const total = async (query: string) => (await app.inject(`/contents?${query}`)).json().data.meta.total_count

  t.test('are looked for where fewer than 10 contents match without, after all filters', async t => {
    t.equal(await total('search=mountain'), 15)
    t.equal(await total('search=mountain&type=film'), 12)
    t.equal(await total('search=mountain&type=film,show'), 13)
    t.equal(await total('search=mountain&type=film&ids=1,2,21,31'), 3)
    t.equal(await total('search=moumtain&type=film'), 9)
    t.equal(await total('search=xyzmountain'), 0)
  })

  t.test('are listed after the other matches, on pages that do not overlap', async t => {
    for (const order of ['', '&order_by=weight', '&order_by=name']) {
      const pages = await Promise.all(
        [1, 2, 3, 4].map(page => app.inject(`/contents?search=mountain&type=film&perPage=4&page=${page}${order}`))
      )
      const ids = pages.flatMap(idsOf)
      t.strictSame(sorted(ids), [1, 2, 3, 4, 5, 6, 7, 8, 9, 21, 22, 23], order)
      t.strictSame(sorted(ids.slice(9)), [21, 22, 23], order)
    }
  })

  const searches: [string, number][] = [
    ['elephants', 1],
    ['elephxxts', 1],
    ['elpehatns', 1],
    ['elephant', 1],
    ['elefant', 0],
    ['elefants', 0],
    ['eleffants', 1],
    ['xlephants', 1],
    ['lephants', 0],
    ['lephantss', 0],
    ['eelephants', 1],
    ['xelephants', 1],
    ['leephants', 1],
    ['xlephantz', 0],
    ['elephxxxs', 0],
    ['elepxa', 1],
    ['elpx', 0]
  ]
  for (const [search, count] of searches) t.test(search, async t => t.equal(await total(`search=${search}&type=short`), count))
})

t.test('the search of GET /contents', async t => {
  const app = await buildWith(t, {
    contents: [
      content(1, { name: 'The Long Ridge', title: { de: 'Der lange Grat' }, keywords: 'mountain,climbing' }),
      content(2, { name: 'Crème Brûlée', description: { en: 'How to bake it, in 20 minutes (or 30)' } }),
      content(3, { name: 'Straße nach Łódź', title: { en: 'The Road' } }),
      content(4, { name: 'x', title: { ja: '東京タワーの秘密' }, description: { ja: 'がんばれ！ニッポン' } }),
      content(5, { name: 'y', title: { zh: '长城的秘密' } }),
      content(6, { name: 'z', title: { th: 'ทำอาหารไทย' } }),
      content(7, { name: "L'Été d'Ines", keywords: 'a.b*c [d] (e) ^f$ g+h|i\\j' }),
      content(8, { name: 'Οδύσσεια', title: { ru: 'Ёлки и Йога', ko: '한국어 수업' } }),
      content(9, { name: 'q', title: { he: 'תל־אביב', ar: 'مُحَمَّد' } }),
      content(10, { name: 'SmörgåsBord', keywords: 'FULLＷＩＤＴＨ' }),
      content(11, { name: 'w', title: { ja: 'カウボーイビバップ', th: 'บุพเพสันนิวาส' } }),
      content(12, { name: `${'x'.repeat(40)}AAA` })
    ]
  })
  const searches: [string, number[]][] = [
    ['ridge', [1]],
    ['RIDGE', [1]],
    ['rid', [1]],
    ['idge', []],
    ['lange', [1]],
    ['climb', [1]],
    ['mountain', [1]],
    ['long ridge', [1]],
    ['ridge long', [1]],
    ['rid grat clim', [1]],
    ['ridge crème', []],
    ['the', [1, 3]],
    ['ridge ridge', [1]],
    ['  long   ridge  ', [1]],
    ['creme', [2]],
    ['CRÈME brul', [2]],
    ['cre\u0300me', [2]],
    ['20', [2]],
    ['2', [2]],
    ['bake 30', [2]],
    ['strasse', [3]],
    ['STRASSE', [3]],
    ['straße', [3]],
    ['lodz', [3]],
    ['ŁÓDŹ', [3]],
    ['東京', [4]],
    ['秘密', [4, 5]],
    ['東京 秘密', [4]],
    ['東京タワー', [4]],
    ['ニッポン', [4]],
    ['ﾆｯﾎﾟﾝ', [4]],
    ['がんばれ', [4]],
    ['长城', [5]],
    ['长城 秘密', [5]],
    ['อาหาร', [6]],
    ['ไทย', [6]],
    ['ทำ', [6]],
    ['ทำอาหาร', [6]],
    ['東京タ', [4]],
    ['秘密東京', [4]],
    ['カウボー', [11]],
    ['カウボーイビ', [11]],
    ['カウボーイズ', []],
    ['บุพเพสันนิว', [11]],
    [`${'x'.repeat(40)}aa`, [12]],
    [`${'x'.repeat(40)}BBB`, []],
    ['ete', [7]],
    ["l'ete", [7]],
    ['ines', [7]],
    ['οδυσσεια', [8]],
    ['ΟΔΎΣΣΕΙΑ', [8]],
    ['οδυ', [8]],
    ['елки', [8]],
    ['ЙОГА', [8]],
    ['한국', [8]],
    ['수업', [8]],
    ['תל', [9]],
    ['محمد', [9]],
    ['smorgas', [10]],
    ['fullwidth', [10]],
    ['long.*', [1]],
    ['.*dge', []],
    ['(ridge', [1]],
    ['ridge)', [1]],
    ['[r]idge', []],
    ['ridge|creme', []],
    ['ridge$', [1]],
    ['^ridge', [1]],
    ['rid\\ge', []],
    ['ridge\u0000', [1]],
    ['$where', []],
    ['ridge, grat', [1]]
  ]
  for (const [search, ids] of searches) {
    t.test(`finds by ${JSON.stringify(search)}`, async t => {
      t.strictSame(await found(app, `search=${encodeURIComponent(search)}`), ids)
    })
  }

  t.test('finds beginnings of words in scripts with letters of several forms', async t => {
    t.strictSame(await found(app, `search=${encodeURIComponent('ΟΔΥΣ')}`), [8], 'a final Greek capital sigma at the end of a beginning')
    t.strictSame(await found(app, `search=${encodeURIComponent('οδυς')}`), [8], 'as phones type it')
    t.strictSame(await found(app, `search=${encodeURIComponent('אביב')}`), [9], 'a Hebrew hyphen separates words')
  })

  for (const search of ['々', '\u037a', '\u17f0', '〻', '\ufe70', '〆', 'ー', '²', 'ª', '\u3164', 'ﾞ', 'ๆ', 'ກ', '①', '½']) {
    t.test(`takes ${JSON.stringify(search)}, whatever it finds`, async t => {
      const response = await app.inject(`/contents?search=${encodeURIComponent(search)}`)
      t.ok(response.statusCode === 200 || response.statusCode === 400, `${response.statusCode} ${response.body.slice(0, 100)}`)
    })
  }

  t.test('takes up to 8 words', async t => t.strictSame(await found(app, 'search=r+l+t+m+g+d+c+t'), [1]))
  t.test('takes a plus for a space', async t => t.strictSame(await found(app, 'search=long+ridge'), [1]))

  t.test('orders and pages what it finds', async t => {
    const response = await app.inject('/contents?search=the&order_by=name&order_direction=ASC&perPage=1&page=2')
    t.strictSame(idsOf(response), [1])
    t.match(response.json().data.meta, { total_count: 2, total_pages: 2, prev_page: 1, next_page: false })
  })
})

const assertOpen = async (t: Test, app: App, id: number, open: boolean, headers: Record<string, string> = {}) => {
  const shows = async (query: string) => (await found(app, query, headers)).includes(id)
  const alone = await app.inject({ url: `/contents/${id}`, headers })
  t.strictSame(
    {
      listed: await shows(''),
      byId: await shows(`ids=${id}`),
      bySearch: await shows('search=content'),
      alone: alone.statusCode === 200 || alone.json()
    },
    { listed: open, byId: open, bySearch: open, alone: open || notFound },
    `content ${id}`
  )
}

t.test('contents that are not open', async t => {
  const soon = (milliseconds: number) => new Date(Date.now() + milliseconds)
  const past = soon(-86_400_000)
  const contents = [
    content(1),
    content(2, { deleted_at: past }),
    content(3, { start_date: soon(86_400_000) }),
    content(4, { end_date: past }),
    content(5, { end_date: soon(86_400_000) }),
    content(6, { start_date: soon(86_400_000), end_date: soon(172_800_000) }),
    content(7, { deleted_at: soon(-1000), end_date: null, start_date: past }),
    content(8, { countries_include: ['DE', 'at'] }),
    content(9, { countries_exclude: ['US'] }),
    content(10, { countries_include: ['DE', 'NL'], countries_exclude: ['NL'] })
  ]

  t.test('without a header of countries', async t => {
    const app = await buildWith(t, { contents })
    for (const id of [1, 5, 8, 9, 10]) await assertOpen(t, app, id, true, { 'x-country': 'US', 'cf-ipcountry': 'US' })
    for (const id of [2, 3, 4, 6, 7]) await assertOpen(t, app, id, false)
    const { vary = '' } = (await app.inject('/contents')).headers
    t.notMatch(vary, /country/i)
  })

  t.test('with one', async t => {
    const app = await buildWith(t, { contents }, { settings: { COUNTRY_HEADER: 'X-Country' } })
    const countries: [Record<string, string>, number[]][] = [
      [{}, [1, 5, 8, 9, 10]],
      [{ 'x-country': '' }, [1, 5, 8, 9, 10]],
      [{ 'x-country': 'DE' }, [1, 5, 8, 9, 10]],
      [{ 'x-country': 'de' }, [1, 5, 8, 9, 10]],
      [{ 'x-country': 'AT' }, [1, 5, 8, 9]],
      [{ 'x-country': 'US' }, [1, 5]],
      [{ 'X-COUNTRY': 'us' }, [1, 5]],
      [{ 'x-country': 'NL' }, [1, 5, 9]]
    ]
    for (const [headers, open] of countries) for (const { _id } of contents) await assertOpen(t, app, _id, open.includes(_id), headers)

    for (const url of ['/contents', '/contents/1'])
      t.match((await app.inject(url)).headers.vary, /\bx-country\b/i, `${url} names the header in Vary`)
    const german = await app.inject({ url: '/contents', headers: { 'x-country': 'DE' } })
    const american = await app.inject({ url: '/contents', headers: { 'x-country': 'US' } })
    t.not(german.headers.etag, american.headers.etag)
  })

  t.test('open and end by the clock while the server runs', async t => {
    const opens = soon(2500)
    const ends = soon(4500)
    const app = await buildWith(t, { contents: [content(1), content(2, { start_date: opens, end_date: ends })] })
    const shown = async () => {
      const [list, alone] = await Promise.all([app.inject('/contents'), app.inject('/contents/2')])
      return [idsOf(list).includes(2), alone.statusCode === 200]
    }
    const seen = new Set<string>()
    await until(async () => {
      const asked = new Date()
      const answers = await shown()
      const answered = new Date()
      // An answer that begins before such a moment and ends after it may show either state.
      const phase = answered < opens ? 'before' : asked >= ends ? 'after' : asked >= opens && answered < ends ? 'open' : undefined
      if (phase && !seen.has(phase)) t.strictSame(answers, Array(2).fill(phase === 'open'), phase)
      if (phase) seen.add(phase)
      return phase === 'after'
    })
    t.ok(seen.has('open'), `the content is seen open: ${[...seen]}`)
  })
})

t.test('GET /contents/{contentId}', async t => {
  const app = await buildWith(t, {
    contents: [
      content(7, {
        title: { en: 'Über "all" \u2028 </script> 😀', 'en-us': '' },
        pricing: { tiers: [1, { a: null }] },
        payments_asset_id: 'asset',
        countries_include: ['DE'],
        countries_exclude: ['US'],
        currency: 'EUR',
        price: 9.99,
        price_formatted: '9,99 €',
        plans: { gold: { id: 'gold', vendor_name: 'Gold' } },
        weight: -3,
        end_date: new Date('2999-12-31T23:59:59.999Z'),
        terms: [1],
        position: 4
      })
    ]
  })

  t.test('gives the content with all its fields, and no others', async t => {
    const response = await app.inject('/contents/7')
    t.equal(response.statusCode, 200)
    t.match(response.headers['content-type'], /^application\/json/)
    t.strictSame(response.json(), {
      success: true,
      data: {
        id: 7,
        parent_id: null,
        type: 'show',
        handler: 'vimeo',
        handler_type: 'entry',
        handler_id: 'media-7',
        name: 'Content 7',
        title: { en: 'Über "all" \u2028 </script> 😀', 'en-us': '' },
        description: {},
        weight: -3,
        thumbnail: 'https://images.example/7.jpg',
        thumbnail_handler: 'vimeo',
        keywords: '',
        pricing: { tiers: [1, { a: null }] },
        payments_asset_id: 'asset',
        purchaseable: 0,
        start_date: '2020-01-02T03:04:05.678000Z',
        end_date: '2999-12-31T23:59:59.999000Z',
        countries_include: ['DE'],
        countries_exclude: ['US'],
        created_at: '2020-01-02T03:04:05.678000Z',
        updated_at: '2020-01-02T03:04:05.678000Z',
        currency: 'EUR',
        price: 9.99,
        price_formatted: '9,99 €',
        plans: { gold: { id: 'gold', vendor_name: 'Gold' } },
        link: 'https://example.com/watch/7',
        terms: []
      }
    })
  })

  for (const id of [
    '8',
    '0',
    '-7',
    '7.0',
    '0x7',
    '+7',
    '07',
    '7e0',
    '%207',
    '7%20',
    '٧',
    'seven',
    '%00',
    '9'.repeat(400),
    '[object]',
    ''
  ]) {
    t.test(`answers not found to ${JSON.stringify(id.slice(0, 10))}`, async t => {
      const response = await app.inject(`/contents/${id}`)
      t.equal(response.statusCode, 404)
      t.strictSame(response.json(), notFound)
    })
  }
})
