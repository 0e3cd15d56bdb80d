import t from 'tap'
import { assertRefused, idsOf, notFound } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { term } from '../helpers/documents.js'

const at = (text: string) => new Date(`${text}T00:00:00Z`)

t.test('GET /terms', async t => {
  const app = await buildWith(t, {
    terms: [
      term(1, { name: 'Yoga', taxonomy: 'discipline', created_at: at('2026-01-03'), updated_at: at('2026-03-01') }),
      term(2, { name: 'barre', taxonomy: 'discipline', created_at: at('2026-01-01'), updated_at: at('2026-03-04') }),
      term(3, { name: 'Calm', taxonomy: 'category', created_at: at('2026-01-05'), updated_at: at('2026-03-02') }),
      term(4, { name: 'Æon & Co?', taxonomy: 'mood', created_at: at('2026-01-04'), updated_at: at('2026-03-05') }),
      term(5, { name: 'Yoga', taxonomy: 'category', created_at: at('2026-01-02'), updated_at: at('2026-03-03') })
    ]
  })

  t.test('gives terms in their wire form, in a meta without total_pages', async t => {
    const response = await app.inject('/terms?name=Calm')
    t.equal(response.statusCode, 200)
    t.strictSame(response.json(), {
      success: true,
      data: {
        collection: [
          {
            id: 3,
            vendor_id: 'vendor-3',
            name: 'Calm',
            taxonomy: 'category',
            created_at: '2026-01-05T00:00:00.000000Z',
            updated_at: '2026-03-02T00:00:00.000000Z'
          }
        ],
        meta: { page: 1, per_page: 20, next_page: false, prev_page: false, total_count: 1 }
      }
    })
  })

  const lists: [string, number[]][] = [
    ['', [3, 4, 1, 5, 2]],
    ['order_direction=ASC', [2, 5, 1, 4, 3]],
    ['order_direction=DESC', [3, 4, 1, 5, 2]],
    ['order_direction=asc', [2, 5, 1, 4, 3]],
    ['order_direction=desc', [3, 4, 1, 5, 2]],
    ['order_by=created_at', [3, 4, 1, 5, 2]],
    ['order_by=created_at&order_direction=ASC', [2, 5, 1, 4, 3]],
    ['order_by=updated_at', [4, 2, 5, 3, 1]],
    ['order_by=updated_at&order_direction=asc', [1, 3, 5, 2, 4]],
    ['order_by=id', [5, 4, 3, 2, 1]],
    ['order_by=id&order_direction=ASC', [1, 2, 3, 4, 5]],
    ['taxonomy=category', [3, 5]],
    ['taxonomy=category,discipline', [3, 1, 5, 2]],
    ['taxonomy=discipline,category&order_by=id&order_direction=ASC', [1, 2, 3, 5]],
    ['taxonomy=none', []],
    ['taxonomy=categ', []],
    ['taxonomy=.*', []],
    ['taxonomy=none,mood', [4]],
    ['taxonomy=discipline&taxonomy=category', [3, 1, 5, 2]],
    ['name=Yoga&name=Calm', [3, 1, 5]],
    ['name=Yoga', [1, 5]],
    ['name=Yoga,Calm', [3, 1, 5]],
    ['name=%C3%86on%20%26%20Co%3F', [4]],
    ['name=%C3%86on+%26+Co%3F', [4]],
    ['name=Nobody', []],
    ['name=Yoga&taxonomy=category', [5]],
    ['name=Yoga,barre&taxonomy=discipline', [1, 2]],
    ['name=Calm&taxonomy=discipline', []],
    ['taxonomy[$ne]=category', [3, 4, 1, 5, 2]],
    ['taxonomy[]=category&nothing=1', [3, 4, 1, 5, 2]],
    ['perPage=2', [3, 4]],
    ['perPage=2&page=3', [2]],
    ['perPage=2&page=4', []]
  ]
  for (const [query, ids] of lists) {
    t.test(query || 'without a query', async t => t.strictSame(idsOf(await app.inject(`/terms?${query}`)), ids))
  }

  t.test('orders by name and taxonomy in both directions, equal ones in a fixed order', async t => {
    const names = async (query: string, field: string) =>
      (await app.inject(`/terms?${query}`)).json().data.collection.map((element: Record<string, string>) => element[field])
    t.strictSame(await names('order_by=name&order_direction=ASC', 'name'), ['Æon & Co?', 'barre', 'Calm', 'Yoga', 'Yoga'])
    t.strictSame(await names('order_by=name', 'name'), ['Yoga', 'Yoga', 'Calm', 'barre', 'Æon & Co?'])
    const taxonomies = ['category', 'category', 'discipline', 'discipline', 'mood']
    t.strictSame(await names('order_by=taxonomy&order_direction=asc', 'taxonomy'), taxonomies)
    t.strictSame(await names('order_by=taxonomy', 'taxonomy'), [...taxonomies].reverse())
  })

  const metas: [string, object][] = [
    ['perPage=2', { page: 1, per_page: 2, next_page: 2, prev_page: false, total_count: 5 }],
    ['perPage=2&page=2', { page: 2, per_page: 2, next_page: 3, prev_page: 1, total_count: 5 }],
    ['perPage=2&page=3', { page: 3, per_page: 2, next_page: false, prev_page: 2, total_count: 5 }],
    ['perPage=2&page=9', { page: 9, per_page: 2, next_page: false, prev_page: 3, total_count: 5 }],
    ['perPage=100', { page: 1, per_page: 100, next_page: false, prev_page: false, total_count: 5 }],
    ['name=Nobody&page=3', { page: 3, per_page: 20, next_page: false, prev_page: false, total_count: 0 }]
  ]
  for (const [query, meta] of metas) {
    t.test(`the meta of ${query}`, async t => t.strictSame((await app.inject(`/terms?${query}`)).json().data.meta, meta))
  }

  const refused: [string, string][] = [
    ['order_by=weight', 'order_by'],
    ['order_by=ID', 'order_by'],
    ['order_by=', 'order_by'],
    ['order_by=id,name', 'order_by'],
    ['order_by=constructor', 'order_by'],
    ['order_by=id&order_by=id', 'order_by'],
    ['order_direction=sideways', 'order_direction'],
    ['order_direction=Asc', 'order_direction'],
    ['order_direction=dESC', 'order_direction'],
    ['order_direction=1', 'order_direction'],
    ['order_direction=ASC&order_direction=DESC', 'order_direction'],
    ['page=0', 'page'],
    ['page=1e2', 'page'],
    ['perPage=0', 'perPage'],
    ['perPage=101', 'perPage'],
    ['perPage=0x10', 'perPage'],
    ['perPage=5&perPage=5', 'perPage']
  ]
  for (const [query, field] of refused) {
    t.test(`refuses ${query}`, async t => assertRefused(t, await app.inject(`/terms?${query}`), field, query))
  }

  t.test('says the rule in one sentence', async t => {
    const { message, errors } = (await app.inject('/terms?perPage=101')).json()
    t.match(message, /^perPage .*\b1\b.*\b100\b/)
    t.equal(errors.length, 1)
    t.equal(errors[0].field, 'perPage')
  })
})

t.test('GET /terms pages over equal keys without doubles or gaps', async t => {
  const app = await buildWith(t, { terms: Array.from({ length: 25 }, (_, i) => term(i + 1, { name: 'Same' })) })
  for (const field of ['id', 'name', 'taxonomy', 'created_at', 'updated_at']) {
    for (const direction of ['ASC', 'DESC']) {
      const ids: number[] = []
      for (let page: number | false = 1; page; ) {
        const response = await app.inject(`/terms?order_by=${field}&order_direction=${direction}&perPage=4&page=${page}`)
        ids.push(...idsOf(response))
        page = response.json().data.meta.next_page as number | false
      }
      t.strictSame(
        ids.sort((a, b) => a - b),
        Array.from({ length: 25 }, (_, i) => i + 1),
        `${field} ${direction}`
      )
    }
  }
})

t.test('GET /terms of an empty database', async t => {
  const app = await buildWith(t, {})
  t.strictSame((await app.inject('/terms')).json(), {
    success: true,
    data: { collection: [], meta: { page: 1, per_page: 20, next_page: false, prev_page: false, total_count: 0 } }
  })
})

t.test('GET /terms/{termId}', async t => {
  const moment = new Date('2026-01-31T20:15:00.123Z')
  const app = await buildWith(t, {
    terms: [term(7, { vendor_id: 'v7', name: 'Yoga', taxonomy: 'discipline', created_at: moment, updated_at: moment })]
  })

  t.test('gives the term in its wire form', async t => {
    const response = await app.inject('/terms/7')
    t.equal(response.statusCode, 200)
    t.strictSame(response.json(), {
      success: true,
      data: {
        id: 7,
        vendor_id: 'v7',
        name: 'Yoga',
        taxonomy: 'discipline',
        created_at: '2026-01-31T20:15:00.123000Z',
        updated_at: '2026-01-31T20:15:00.123000Z'
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
    'seven',
    '%00',
    '%D9%A7',
    '9'.repeat(16),
    '9'.repeat(400),
    ''
  ]) {
    t.test(`answers not found to ${JSON.stringify(id.slice(0, 20))}`, async t => {
      const response = await app.inject(`/terms/${id}`)
      t.equal(response.statusCode, 404)
      t.strictSame(response.json(), notFound)
    })
  }
})
