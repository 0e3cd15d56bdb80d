import t from 'tap'
import type { StoredCredit } from '../../src/catalogue/content-documents.js'
import { assertRefused, collectionOf, idsOf, notFound } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { content, episode, film, person } from '../helpers/documents.js'

const by = (...people: number[]) => ({ credits: people.map((person_id): StoredCredit => ({ person_id, role: 'actor', character: null })) })
type Changed = [kind: 'contents' | 'people', id: number, fields?: object]
const past = new Date('2021-01-01')

t.test('people', async t => {
  const app = await buildWith(t, {
    people: [
      person(1, 'Ines Halvorsen', { image: 'https://images.example/1.jpg' }),
      person(2, 'Émile Zola'),
      person(3, 'Ana Inés'),
      person(4, 'ana inés'),
      person(5, 'Halvorsen'),
      person(6, 'Bo Halvor'),
      person(7, 'Cleo Halvor')
    ],
    contents: [
      film(10, {
        credits: [
          { person_id: 1, role: 'director', character: null },
          { person_id: 9, role: 'writer', character: null },
          { person_id: 2, role: 'actor', character: 'Captain "Mora"' },
          { person_id: 1, role: 'actor' }
        ]
      }),
      content(20, by(7)),
      episode(21, 20, by(7)),
      episode(22, 20, by(7)),
      film(11, { ...by(6), countries_include: ['DE'], min_age: 18 }),
      film(12, by(6)),
      film(13, { ...by(7), end_date: past }),
      film(14, { ...by(7), start_date: new Date(Date.now() + 1e9) }),
      episode(15, 13, by(7)),
      film(16, { name: 'Halvorsen, a life' }),
      film(17)
    ]
  })
  const changed = async (...[kind, id, fields]: Changed) => {
    await change(app, kind, id, fields)
    await app.catalogue.refresh()
  }
  const listed = async (query: string) => idsOf(await app.inject(`/people?${query}`))
  const contentsBy = async (query: string) => idsOf(await app.inject(`/contents?order_by=created_at&order_direction=ASC&${query}`))

  t.test('are listed by name, then by id', async t => {
    t.strictSame(await listed(''), [3, 4, 6, 7, 2, 5, 1])
    t.strictSame(await listed('page=2&perPage=3'), [7, 2, 5])
    t.strictSame(await listed('ids=1,5,3,99,0'), [3, 5, 1])
    t.strictSame(await listed('ids=99'), [])
    const response = await app.inject('/people?ids=1,2')
    t.strictSame(response.json(), {
      success: true,
      data: {
        collection: [
          { id: 2, name: 'Émile Zola', image: null },
          { id: 1, name: 'Ines Halvorsen', image: 'https://images.example/1.jpg' }
        ],
        meta: { page: 1, per_page: 20, next_page: false, prev_page: false, total_count: 2, total_pages: 1 }
      }
    })
    t.match(response.headers, { 'cache-control': /public/, etag: /./ })
  })

  t.test('are found by their names, the best matches first, then those with the most open titles', async t => {
    t.strictSame(await listed('search=zola'), [2])
    t.strictSame(await listed('search=ines%20ana'), [3, 4])
    t.strictSame(await listed('search=halvorsen'), [5, 1], 'a whole name comes first')
    t.strictSame(await listed('search=halvor'), [6, 7, 1, 5], 'whole words first, then the number of titles')
    t.strictSame(await listed('search=halv'), [6, 7, 1, 5])
    t.strictSame(await listed('search=halv&ids=7,5'), [7, 5])
    t.strictSame(await listed('search=halv&perPage=1&page=2'), [7])
    t.strictSame(await listed('search=halvorsne'), [1, 5], 'with a typo')
    t.strictSame(await listed('search=nobody'), [])
  })

  t.test('the order follows what opens', async t => {
    await changed('contents', 13, { end_date: null })
    t.strictSame(await listed('search=halvor'), [6, 7, 1, 5], 'of equal numbers by name')
    await changed('people', 7, { name: 'Aleo Halvor' })
    t.strictSame(await listed('search=halvor'), [7, 6, 1, 5])
  })

  t.test('one is read by its id', async t => {
    t.strictSame((await app.inject('/people/2')).json(), { success: true, data: { id: 2, name: 'Émile Zola', image: null } })
    for (const id of ['99', '0', '-1', 'x', '2.5', '1e300']) {
      const response = await app.inject(`/people/${id}`)
      t.equal(response.statusCode, 404, id)
      t.strictSame(response.json(), notFound)
    }
  })

  t.test('are in the details of a content, and in no list', async t => {
    const { credits } = (await app.inject('/contents/10')).json().data
    const ines = { id: 1, name: 'Ines Halvorsen', image: 'https://images.example/1.jpg' }
    t.strictSame(credits, [
      { person: ines, role: 'director', character: null },
      { person: { id: 2, name: 'Émile Zola', image: null }, role: 'actor', character: 'Captain "Mora"' },
      { person: ines, role: 'actor', character: null }
    ])
    t.notOk('credits' in (await app.inject('/contents/17')).json().data)
    for (const item of collectionOf(await app.inject('/contents'))) t.notOk('credits' in item || 'people' in item)
  })

  t.test('lead to their contents', async t => {
    t.strictSame(await contentsBy('people=1'), [10])
    t.strictSame(await contentsBy('people=2,6'), [10, 11, 12])
    t.strictSame(await contentsBy('people=7'), [13, 15, 20, 21, 22])
    t.strictSame(await contentsBy('people=7&type=show'), [20])
    t.strictSame(await contentsBy('people=99'), [])
    t.strictSame(await contentsBy('people=1&search=content'), [10])
  })

  t.test('their names are searched like terms', async t => {
    t.strictSame(await contentsBy('search=zola'), [10])
    t.strictSame(idsOf(await app.inject('/contents?search=halvorsen')), [16, 10], 'a name of a content counts more')
    t.strictSame(await contentsBy('search=content%20halvor%20ines'), [10])
    t.strictSame(await contentsBy('search=cleo'), [], 'a person was renamed')
    t.strictSame(await contentsBy('search=aleo'), [13, 15, 20, 21, 22])
  })

  t.test('stay as they are when nothing has changed', async t => {
    const before = app.catalogue.people
    await app.data.revisions.raise('people')
    await app.catalogue.refresh()
    t.equal(app.catalogue.people, before)
    await changed('people', 5, { image: 'https://images.example/5.jpg' })
    t.strictSame((await app.inject('/people/5')).json().data, { id: 5, name: 'Halvorsen', image: 'https://images.example/5.jpg' })
  })

  t.test('change with their contents', async t => {
    await changed('contents', 12, { credits: null })
    await changed('contents', 17, by(6))
    t.strictSame(await contentsBy('people=6'), [11, 17])
    await changed('people', 6)
    t.equal((await app.inject('/people/6')).statusCode, 404)
    t.notOk('credits' in (await app.inject('/contents/17')).json().data, 'the last credit is gone')
    for (const [id, name] of [
      [6, 'Aaron'],
      [8, 'Zoe']
    ] as const) {
      const { _id, ...added } = person(id, name)
      await changed('people', id, added)
    }
    t.strictSame(await listed(''), [6, 7, 3, 4, 2, 5, 1, 8])
    t.strictSame(await listed('search=aaron'), [6])
    t.match((await app.inject('/contents/17')).json().data.credits, [{ person: { id: 6, name: 'Aaron' } }])
  })

  t.test('refuse bad input', async t => {
    for (const query of ['ids=x', 'search=', 'search=%21', `search=${'x'.repeat(201)}`, 'perPage=101', 'page=0'])
      assertRefused(t, await app.inject(`/people?${query}`), query.split('=')[0] as string, query)
  })
})

t.test('titles with the same people are alike', async t => {
  const app = await buildWith(t, {
    people: [person(1, 'Rare'), person(2, 'Common')],
    contents: [film(1, by(1, 2)), film(2, by(2)), film(3, by(2)), film(4, by(1)), film(5)]
  })
  const { data } = (await app.inject('/contents/1/similar?perPage=4')).json()
  t.strictSame(
    data.map(({ id }: { id: number }) => id),
    [4, 3, 2, 5],
    'the rarest first, and others of the type last'
  )
})

t.test('a search may match thousands of people', async t => {
  const app = await buildWith(t, {
    people: Array.from({ length: 1100 }, (_, at) => person(at + 1, `Zed ${at + 1}`)),
    contents: [film(1, by(1)), film(2, by(1100, 7)), film(3), film(4, { name: 'Zed' })]
  })
  t.strictSame(idsOf(await app.inject('/contents?search=zed')), [4, 2, 1])
  t.strictSame(idsOf(await app.inject('/contents?search=zed%201100')), [2])
  const { collection, meta } = (await app.inject('/people?search=zed&perPage=4')).json().data
  t.strictSame(
    [meta.total_count, collection.map(({ id }: { id: number }) => id)],
    [1100, [1, 1100, 7, 10]],
    'those with titles first, then by name'
  )
})
