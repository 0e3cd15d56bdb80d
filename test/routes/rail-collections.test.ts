import type { AddressInfo } from 'node:net'
import t from 'tap'
import { assertRefused, idsOf } from '../helpers/answers.js'
import { type App, buildWith } from '../helpers/app.js'
import { content, rail, railCollection } from '../helpers/documents.js'

const seed = () => ({
  contents: [
    content(1, { type: 'show', terms: [5] }),
    content(2, { type: 'film', terms: [6], weight: 3 }),
    content(3, { type: 'film', terms: [6], weight: 9 }),
    content(4, { type: 'show', name: 'Ridge & Co' })
  ],
  rail_collections: [
    railCollection(9, { type: 'show' }, { name: 'Shows', mname: 'shows', framework_through_key: 44 }),
    railCollection(
      2,
      { type: 'film' },
      {
        name: 'Home',
        mname: 'home_page',
        rails: [
          rail(30, { type: 'film', terms: '6', order_by: 'weight', order_direction: 'ASC' }),
          rail(10, { type: 'show,film', perPage: '3' }, { framework_through_key: 2 }),
          rail(20, { type: 'show', search: 'ridge & co' })
        ]
      }
    )
  ]
})

interface Rail {
  id: number
  endpoint: string
  rails?: Rail[]
}
const collectionsOf = async (app: App, url: string, headers: Record<string, string> = {}): Promise<Rail[]> => {
  const response = await app.inject({ url, headers })
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json().data.collection
}
const endpointOf = async (app: App, headers: Record<string, string> = {}, base = '') =>
  new URL((await collectionsOf(app, `${base}/rail-collections`, headers))[0]?.endpoint ?? '')

t.test('GET /rail-collections', async t => {
  const app = await buildWith(t, seed())
  const created_at = '2020-01-02T03:04:05.678000Z'

  t.test('gives the collections by id, without their rails', async t => {
    const response = await app.inject({ url: '/rail-collections', headers: { host: 'api.example:8080' } })
    t.equal(response.statusCode, 200)
    t.strictSame(response.json(), {
      success: true,
      data: {
        collection: [
          {
            id: 2,
            name: 'Home',
            mname: 'home_page',
            endpoint: 'http://api.example:8080/contents?type=film',
            created_at,
            updated_at: created_at,
            framework_through_key: 2
          },
          {
            id: 9,
            name: 'Shows',
            mname: 'shows',
            endpoint: 'http://api.example:8080/contents?type=show',
            created_at,
            updated_at: created_at,
            framework_through_key: 44
          }
        ],
        meta: { page: 1, per_page: 20, next_page: false, prev_page: false, total_pages: 1, total_count: 2 }
      }
    })
  })

  t.test('with=rails adds the rails of each in their order', async t => {
    const collections = await collectionsOf(app, '/rail-collections?with=rails', { host: 'api.example' })
    t.strictSame(
      collections.map(({ id, rails }) => [id, rails?.map(one => one.id)]),
      [
        [2, [30, 10, 20]],
        [9, []]
      ]
    )
    const [first] = collections[0]?.rails ?? []
    t.strictSame(first && { ...first, endpoint: undefined }, {
      id: 30,
      name: 'Rail 30',
      mname: 'rail_30',
      endpoint: undefined,
      created_at,
      updated_at: created_at,
      framework_through_key: 30
    })
    const endpoint = new URL(first?.endpoint ?? '')
    t.equal(`${endpoint.origin}${endpoint.pathname}`, 'http://api.example/contents')
    t.strictSame(Object.fromEntries(endpoint.searchParams), { type: 'film', terms: '6', order_by: 'weight', order_direction: 'ASC' })
  })

  t.test('is paged', async t => {
    const response = await app.inject('/rail-collections?perPage=1&page=2&with=rails')
    t.strictSame(idsOf(response), [9])
    t.strictSame(response.json().data.meta, { page: 2, per_page: 1, next_page: false, prev_page: 1, total_pages: 2, total_count: 2 })
    t.strictSame((await app.inject('/rail-collections?page=5')).json().data, {
      collection: [],
      meta: { page: 5, per_page: 20, next_page: false, prev_page: 1, total_pages: 1, total_count: 2 }
    })
  })

  const refused: [string, string][] = [
    ['with=contents', 'with'],
    ['with=rails,contents', 'with'],
    ['with=Rails', 'with'],
    ['with=', 'with'],
    ['with=rails,', 'with'],
    ['with=rails&with=contents', 'with'],
    ['with=__proto__', 'with'],
    ['perPage=101', 'perPage'],
    ['page=0', 'page']
  ]
  for (const [query, field] of refused) {
    t.test(`refuses ${query}`, async t => assertRefused(t, await app.inject(`/rail-collections?${query}`), field, query))
  }
  t.test('takes a relation that is named twice', async t => {
    const [once, twice] = await Promise.all(['with=rails', 'with=rails&with=rails'].map(query => app.inject(`/rail-collections?${query}`)))
    t.equal(twice?.body, once?.body)
  })
  t.test('ignores what it does not know', async t => {
    t.equal((await app.inject('/rail-collections?with[]=rails&without=x')).statusCode, 200)
  })

  t.test('believes no forwarded header without TRUST_PROXY', async t => {
    const headers = {
      host: 'api.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example'
    }
    t.equal((await endpointOf(app, headers)).origin, 'http://api.example')
    t.notMatch((await app.inject('/rail-collections')).headers.vary ?? '', /forwarded/i)
  })

  const hostile = [
    'evil.example/path?x=',
    'user:password@evil.example',
    'a b',
    '"><script>alert(1)</script>',
    'x","endpoint":"http://evil.example',
    '',
    '..',
    '?',
    '#',
    '[',
    ']:[',
    ':::',
    'example.com:99999',
    'a'.repeat(5000),
    'b\u00e4r.example'
  ]
  for (const host of hostile) {
    t.test(`survives the host ${JSON.stringify(host.slice(0, 30))}`, async t => {
      const response = await app.inject({ url: '/rail-collections?with=rails', headers: { host } })
      t.ok([200, 400].includes(response.statusCode), `${response.statusCode}`)
      if (response.statusCode !== 200) return
      for (const { endpoint } of response.json().data.collection) {
        t.ok(URL.canParse(endpoint), `${endpoint.slice(0, 60)} is an address`)
        if (!URL.canParse(endpoint)) continue
        const { protocol, pathname, username, hash } = new URL(endpoint)
        t.strictSame({ protocol, pathname, username, hash }, { protocol: 'http:', pathname: '/contents', username: '', hash: '' })
      }
    })
  }

  t.test('keeps the answers for two hosts apart', async t => {
    for (const host of ['one.example', 'two.example', 'one.example']) t.equal((await endpointOf(app, { host })).origin, `http://${host}`)
    const [one, two] = await Promise.all(
      ['one.example', 'two.example'].map(host => app.inject({ url: '/rail-collections', headers: { host } }))
    )
    t.not(one?.headers.etag, two?.headers.etag)
  })
})

t.test('rail endpoints where the service stands elsewhere', async t => {
  t.test('BASE_PATH', async t => {
    const app = await buildWith(t, seed(), { settings: { BASE_PATH: '/video/v1' } })
    t.equal((await endpointOf(app, { host: 'api.example' }, '/video/v1')).pathname, '/video/v1/contents')
    t.equal((await app.inject('/rail-collections')).statusCode, 404)
  })

  t.test('PUBLIC_URL with BASE_PATH behind it', async t => {
    const settings = { PUBLIC_URL: 'https://api.example.com:8443', BASE_PATH: '/video', TRUST_PROXY: '1' }
    const app = await buildWith(t, seed(), { settings })
    const headers = { host: 'internal:3000', 'x-forwarded-host': 'other.example', 'x-forwarded-proto': 'http' }
    t.equal((await endpointOf(app, headers, '/video')).href, 'https://api.example.com:8443/video/contents?type=film')
    t.notMatch((await app.inject('/video/rail-collections')).headers.vary ?? '', /forwarded/i)
  })

  t.test('TRUST_PROXY', async t => {
    const app = await buildWith(t, seed(), { settings: { TRUST_PROXY: '1' } })
    const headers = { host: 'internal:3000', 'x-forwarded-host': 'api.example', 'x-forwarded-proto': 'https' }
    t.equal((await endpointOf(app, headers)).origin, 'https://api.example')
    t.equal((await endpointOf(app, { host: 'internal:3000' })).origin, 'http://internal:3000')
    t.equal((await endpointOf(app, { host: 'api.example', 'x-forwarded-proto': 'https' })).origin, 'https://api.example')
    const { vary } = (await app.inject('/rail-collections')).headers
    t.match(vary, /x-forwarded-host/i)
    t.match(vary, /x-forwarded-proto/i)
    for (const proto of ['javascript', 'https://evil.example/?', '', 'ftp']) {
      const [first] = await collectionsOf(app, '/rail-collections', { ...headers, 'x-forwarded-proto': proto })
      t.match(first?.endpoint, /^https?:\/\/api\.example\/contents\?/, `X-Forwarded-Proto: ${proto}`)
    }
  })

  t.test('TRUST_PROXY of other networks than the caller', async t => {
    const app = await buildWith(t, seed(), { settings: { TRUST_PROXY: '10.0.0.0/8' } })
    const headers = { host: 'api.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    t.equal((await endpointOf(app, headers)).origin, 'http://api.example')
  })
})

const json = async (url: string) => {
  const response = await fetch(url)
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`)
  return JSON.parse(await response.text())
}

t.test('each endpoint, followed, gives the contents of its rail', async t => {
  for (const BASE_PATH of ['', '/video']) {
    const app = await buildWith(t, seed(), { settings: { BASE_PATH } })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const { data } = await json(`http://127.0.0.1:${port}${BASE_PATH}/rail-collections?with=rails`)
    const follow = async ({ endpoint }: Rail) => {
      const { data } = await json(endpoint)
      return data.collection.map(({ id }: { id: number }) => id)
    }
    const [home, shows] = data.collection
    t.strictSame(await follow(home), [3, 2])
    t.strictSame(await follow(home.rails[0]), [2, 3])
    t.strictSame((await follow(home.rails[1])).slice(0, 2), [3, 2])
    t.equal((await follow(home.rails[1])).length, 3)
    t.strictSame(await follow(home.rails[2]), [4])
    t.strictSame((await follow(shows)).sort(), [1, 4])
  }
})
