import t from 'tap'
import { film, importer, lines, rail, term } from '../helper.js'

t.test('a content', async t => {
  const { run, counts, one, db, revision } = await importer(t)
  await run({ 'terms.ndjson': lines(term(1)), 'people.ndjson': lines({ id: 7, name: 'Ines Halvorsen' }) })

  t.test('has defaults for what is not given', async t => {
    await run({ 'contents.ndjson': lines(film(1)) })
    const { created_at, updated_at, start_date, stamp, digest, ...fields } = await one('contents', 1)
    t.match(
      { created_at, updated_at, start_date, stamp, digest },
      { created_at: Date, updated_at: Date, start_date: Date, stamp: Date, digest: String }
    )
    t.strictSame(fields, {
      _id: 1,
      parent_id: null,
      type: 'film',
      handler: '',
      handler_type: '',
      handler_id: '',
      name: 'Film 1',
      title: {},
      description: {},
      weight: null,
      thumbnail: '',
      thumbnail_handler: '',
      keywords: '',
      pricing: null,
      payments_asset_id: null,
      purchaseable: 0,
      end_date: null,
      countries_include: null,
      countries_exclude: null,
      currency: null,
      price: null,
      price_formatted: null,
      plans: {},
      link: '',
      deleted_at: null,
      terms: [],
      position: null,
      replaces: null,
      credits: null,
      duration: null,
      min_age: null,
      season: null,
      episode: null,
      external_ids: null,
      markers: null,
      year: null,
      images: null,
      age_ratings: null,
      words: { names: ['film', '1', '=film1'], keywords: [], description: [] }
    })
  })

  t.test('keeps what is given', async t => {
    const given = {
      id: 2,
      parent_id: 1,
      type: 'part-two_B',
      handler: 'h',
      handler_type: 'entry',
      handler_id: '1_a',
      name: 'Näme',
      title: { en: 'Title', 'en-us': 'Title' },
      description: { de: 'Worte' },
      weight: -3,
      thumbnail: 'https://example.com/a.svg',
      thumbnail_handler: 'demo',
      keywords: 'key',
      pricing: { 'a.b': { $c: [1] } },
      payments_asset_id: 'asset',
      purchaseable: 1,
      currency: 'EUR',
      price: 9.99,
      price_formatted: '9,99 €',
      plans: { 2: { id: '2', vendor_name: 'v' } },
      link: 'https://example.com/2',
      terms: [1, 1],
      position: 4,
      replaces: [7, 8],
      duration: 0.5,
      min_age: 0,
      season: 0,
      episode: 3,
      external_ids: { imdb: 'tt1', 'a.$b': 'x' },
      markers: [{ type: 'intro', start: 0, end: 0.5 }],
      year: 1870,
      images: [
        { kind: 'poster', url: 'HTTPS://images.example.com/2 ü.jpg'.replace(' ', '%20'), width: 1, height: 2 },
        { kind: 'logo', url: 'http://images.example.com/2.svg' }
      ],
      age_ratings: [
        { country: 'US', system: 'MPAA', value: 'PG-13' },
        { country: 'US', system: 'TVPG', value: 'TV-14' }
      ],
      credits: [
        { person_id: 7, role: 'director', character: null },
        { person_id: 7, role: 'actor', character: `${'x'.repeat(199)}\u{1F3D4}` }
      ]
    }
    const times = {
      start_date: '2026-01-01t00:00:00+01:00',
      end_date: '2026-01-02 00:00:00.1234567Z',
      created_at: '2020-02-29T12:00:00.5Z',
      updated_at: '2021-01-01T00:00:00-00:30',
      deleted_at: '2027-01-01T00:00:00Z'
    }
    await run({ 'contents.ndjson': lines({ ...given, ...times, countries_include: ['de', 'NL'], countries_exclude: [] }) })
    const { stamp, digest, ...fields } = await one('contents', 2)
    const { id, ...same } = given
    t.strictSame(fields, {
      ...same,
      _id: id,
      terms: [1],
      start_date: new Date('2025-12-31T23:00:00Z'),
      end_date: new Date('2026-01-02T00:00:00.123Z'),
      created_at: new Date('2020-02-29T12:00:00.500Z'),
      updated_at: new Date('2021-01-01T00:30:00Z'),
      deleted_at: new Date('2027-01-01T00:00:00Z'),
      countries_include: ['DE', 'NL'],
      countries_exclude: [],
      words: { names: ['name', 'title', '=name', '=title'], keywords: ['key'], description: ['worte'] }
    })
  })

  t.test('goes back to the defaults where a later run gives less, but keeps its first times', async t => {
    const before = await one('contents', 2)
    t.strictSame(await counts({ 'contents.ndjson': lines(film(2)) }), { contents: [0, 1, 0] })
    const after = await one('contents', 2)
    const { parent_id, weight, title, deleted_at, terms, words, replaces } = after
    t.strictSame(
      [parent_id, weight, title, deleted_at, terms, words, replaces],
      [null, null, {}, null, [], { names: ['film', '2', '=film2'], keywords: [], description: [] }, null]
    )
    const { duration, min_age, season, episode, external_ids, markers } = after
    t.strictSame([duration, min_age, season, episode, external_ids, markers], [null, null, null, null, null, null])
    t.strictSame(after?.created_at, before?.created_at)
    t.strictSame(after?.start_date, before?.start_date)
    t.ok((after?.updated_at as Date) > new Date('2026-01-01'), 'updated_at is the time of the import')
    t.ok((after?.stamp as Date) > (before?.stamp as Date))
  })

  t.test('that other software stored without the optional fields is unchanged', async t => {
    const absent = { duration: '', min_age: '', season: '', episode: '', external_ids: '' }
    await db.collection('contents').updateOne({ name: 'Film 2' }, { $unset: absent })
    const before = await one('contents', 2)
    const nulls = { duration: null, min_age: null, season: null, episode: null, external_ids: null }
    t.strictSame(await counts({ 'contents.ndjson': lines(film(2, nulls)) }), { contents: [0, 0, 1] })
    t.strictSame(await one('contents', 2), before)
    t.strictSame(await counts({ 'contents.ndjson': lines(film(2, { duration: 60 })) }), { contents: [0, 1, 0] })
    const { duration, min_age } = await one('contents', 2)
    t.strictSame([duration, min_age], [60, null])
  })

  t.test('stores markers by their start, an empty list as none', async t => {
    const markers = [
      { type: 'credits', start: 55, end: null },
      { type: 'intro', start: 5, end: 10 },
      { type: 'recap', start: 0 }
    ]
    await run({ 'contents.ndjson': lines(film(2, { duration: 60, markers })) })
    t.strictSame((await one('contents', 2)).markers, [
      { type: 'recap', start: 0, end: null },
      { type: 'intro', start: 5, end: 10 },
      { type: 'credits', start: 55, end: null }
    ])
    await run({ 'contents.ndjson': lines(film(2, { markers: [] })) })
    t.equal((await one('contents', 2)).markers, null)
  })

  t.test('tells the servers of each batch', async t => {
    const before = await revision('contents')
    await run({ 'contents.ndjson': lines(...Array.from({ length: 2001 }, (_, at) => film(1000 + at))) })
    t.equal(await revision('contents'), before + 4, 'one revision for each of the three batches, and one at the end')
    t.equal(await db.collection('contents').countDocuments(), 2003)
  })

  t.test('whose digest is another one is written again, with its words', async t => {
    const files = { 'contents.ndjson': lines(film(5, { name: '木漏れ日の家' })) }
    await run(files)
    const { words } = await one('contents', 5)
    await db.collection('contents').updateOne({ name: '木漏れ日の家' }, { $set: { words: ['other'], digest: 'of another version' } })
    t.strictSame(await counts(files), { contents: [0, 1, 0] })
    t.strictSame((await one('contents', 5)).words, words)
    t.strictSame(await counts(files), { contents: [0, 0, 1] })
  })
})

t.test('parents', async t => {
  const { run, faults, counts } = await importer(t)
  await run({ 'contents.ndjson': lines(film(1), film(2, { parent_id: 1 }), film(3, { parent_id: 2 })) })

  t.test('may come later in the file or be in the database', async t => {
    t.strictSame(await counts({ 'contents.ndjson': lines(film(10, { parent_id: 11 }), film(11, { parent_id: 3 })) }), {
      contents: [2, 0, 0]
    })
  })
  t.test('must not go in a circle within the run', async t => {
    const circle = lines(film(20), film(21, { parent_id: 22 }), film(22, { parent_id: 23 }), film(23, { parent_id: 21 }))
    const [found, ...others] = await faults({ 'contents.ndjson': circle })
    t.match(found, /^contents\.ndjson:[234]: parent_id: makes a cycle of parents: (21 > 22 > 23 > 21|22 > 23 > 21 > 22|23 > 21 > 22 > 23)$/)
    t.strictSame(others, [])
  })
  t.test('in a long circle are listed in part', async t => {
    const circle = lines(...Array.from({ length: 12 }, (_, at) => film(30 + at, { parent_id: 30 + ((at + 1) % 12) })))
    const [found, ...others] = await faults({ 'contents.ndjson': circle })
    t.match(found, /: makes a cycle of parents: (\d+) > (\d+ > ){9}\.\.\. > \1$/)
    t.strictSame(others, [])
  })
  t.test('must not go in a circle by way of the database', async t => {
    t.strictSame(await faults({ 'contents.ndjson': lines(film(1, { parent_id: 3 })) }), [
      'contents.ndjson:1: parent_id: makes a cycle of parents: 1 > 3 > 2 > 1'
    ])
  })
  t.test('may be turned round', async t => {
    const turned = lines(film(1, { parent_id: 2 }), film(2, { parent_id: 3 }), film(3))
    t.strictSame(await counts({ 'contents.ndjson': turned }), { contents: [0, 3, 0] })
  })
  t.test('that are not there are listed in the order of the file', async t => {
    const orphans = lines(...Array.from({ length: 30 }, (_, at) => film(5000 - at, { parent_id: 900 + at })))
    t.strictSame(
      await faults({ 'contents.ndjson': orphans }),
      Array.from({ length: 30 }, (_, at) => `contents.ndjson:${at + 1}: parent_id: there is no content ${900 + at}`)
    )
  })
})

t.test('people', async t => {
  const { counts, all } = await importer(t)
  const file = {
    'people.ndjson': lines(
      {
        id: 2,
        name: 'Ines',
        image: 'https://images.example/2.jpg',
        created_at: '2020-01-01T00:00:00Z',
        updated_at: '2021-01-01T00:00:00Z'
      },
      { id: 1, name: '\u{1F3D4}'.repeat(200), image: null }
    )
  }
  t.strictSame(await counts(file), { people: [2, 0, 0] })
  t.strictSame(await counts(file), { people: [0, 0, 2] })
  t.strictSame(await counts({ 'people.ndjson': lines({ id: 2, name: 'Inès' }) }), { people: [0, 1, 0] })
  const [one, two] = await all('people')
  t.hasStrict(one, { _id: 1, name: '\u{1F3D4}'.repeat(200), image: null })
  t.hasStrict(two, { _id: 2, name: 'Inès', image: null, created_at: new Date('2020-01-01') })
})

t.test('terms', async t => {
  const { run, counts, all, faults } = await importer(t)
  const free = (vendor_id: string, more: object = {}) => ({ vendor_id, name: vendor_id, taxonomy: 'genre', ...more })
  const known = async () => (await all('terms')).map(({ _id, vendor_id, name }) => [_id, vendor_id, name])

  t.test('get ids past those that are given', async t => {
    await run({ 'terms.ndjson': lines(free('a'), free('b', { id: 40 }), free('c')) })
    t.strictSame(await known(), [
      [40, 'b', 'b'],
      [41, 'a', 'a'],
      [42, 'c', 'c']
    ])
  })
  t.test('are known by taxonomy and vendor_id', async t => {
    t.strictSame(await counts({ 'terms.ndjson': lines(free('c', { name: 'C' }), free('a'), free('d')) }), { terms: [1, 1, 1] })
    t.strictSame((await known()).slice(1), [
      [41, 'a', 'a'],
      [42, 'c', 'C'],
      [43, 'd', 'd']
    ])
  })
  t.test('change their pair under an id', async t => {
    t.strictSame(await counts({ 'terms.ndjson': lines(free('e', { id: 43 })) }), { terms: [0, 1, 0] })
    t.strictSame((await known())[3], [43, 'e', 'e'])
  })
  t.test('keep their pairs to themselves', async t => {
    const clash = lines(free('a', { id: 5 }), free('x'), free('x'), free('b'), free('y', { id: 40 }))
    t.strictSame(await faults({ 'terms.ndjson': clash }), [
      'terms.ndjson:1: id: the term with this taxonomy and vendor_id has the id 41',
      'terms.ndjson:3: vendor_id: is already used in line 2',
      'terms.ndjson:5: id: is already used in line 4'
    ])
  })
})

t.test('rail collections', async t => {
  const { run, one, faults } = await importer(t)

  t.test('keep queries as texts and the times of their rails', async t => {
    const query = { type: ['film', 'show'], terms: [1, 2], perPage: 10, search: 'röd' }
    await run({
      'rail-collections.ndjson': lines(
        rail(1, { query, rails: [rail(2), rail(3, { framework_through_key: 9, created_at: '2020-01-01T00:00:00Z' })] })
      )
    })
    const before = (await one('rail_collections', 1)) as unknown as {
      query: object
      framework_through_key: number
      rails: { id: number; created_at: Date; updated_at: Date }[]
    }
    t.strictSame(before.query, { type: 'film,show', terms: '1,2', perPage: '10', search: 'röd' })
    t.equal(before.framework_through_key, 1)
    t.hasStrict(before.rails, [
      { id: 2, framework_through_key: 1, query: { type: 'film' } },
      { id: 3, framework_through_key: 9, created_at: new Date('2020-01-01') }
    ])
    await run({ 'rail-collections.ndjson': lines(rail(1, { query, rails: [rail(3, { name: 'Other' }), rail(2)] })) })
    const after = (await one('rail_collections', 1)) as unknown as typeof before
    t.strictSame(
      after.rails.map(({ id }) => id),
      [3, 2]
    )
    t.strictSame(after.rails[1], before.rails[0], 'an unchanged rail keeps its times')
    t.strictSame(after.rails[0]?.created_at, new Date('2020-01-01'))
    t.ok((after.rails[0]?.updated_at as Date) > (before.rails[1]?.updated_at as Date))
  })

  t.test('have queries that GET /contents answers', async t => {
    const queries = [
      {},
      { type: 'a b' },
      { type: ['film', null] },
      { type: 'film', parent_id: 0 },
      { type: 'film', terms: '1,x' },
      { type: 'film', ids: [1.5] },
      { type: 'film', search: '--' },
      { type: 'film', order_by: 'price' },
      { type: 'film', order_direction: 'up' },
      { type: 'film', perPage: 101 },
      { type: 'film', page: '0' },
      { type: 'film', limit: 5 },
      { type: 'film', search: 'a'.repeat(201) },
      { type: 'film', search: '㈱' },
      { type: 'film', search: null, order_by: ['name', {}] },
      { type: 'film', ids: Array.from({ length: 4000 }, (_, at) => at + 1) },
      { type: 'a'.repeat(3996) },
      { type: 'a'.repeat(3995) },
      { type: 'film', search: '漢'.repeat(200) },
      { type: 'film', parent_id: '1,2', ids: '7', order_by: 'name', order_direction: 'asc', perPage: '100', page: 2 },
      { type: 'film', ids: Array.from({ length: 101 }, (_, at) => at + 1) },
      { type: 'a'.repeat(200), ids: Array.from({ length: 100 }, (_, at) => at + 1) },
      { type: 'film', order_by: 'popularity' },
      { type: 'film', watched: 'false' }
    ]
    const search = 'must be a string of at most 200 characters and 8 words, with a letter or a digit'
    const ids = 'must be comma-separated ids'
    const values = 'must be a list of 1 to 100 values of at most 200 characters each'
    const words = 'must be comma-separated types of letters, digits, - and _'
    t.strictSame(await faults({ 'rail-collections.ndjson': lines(...queries.map((query, at) => rail(at + 1, { query }))) }), [
      'rail-collections.ndjson:1: query.type: is required',
      `rail-collections.ndjson:2: query.type: ${words}`,
      `rail-collections.ndjson:3: query.type: ${words}`,
      `rail-collections.ndjson:4: query.parent_id: ${ids}`,
      `rail-collections.ndjson:5: query.terms: ${ids}`,
      `rail-collections.ndjson:6: query.ids: ${ids}`,
      `rail-collections.ndjson:7: query.search: ${search}`,
      'rail-collections.ndjson:8: query.order_by: must be one of start_date, created_at, name, weight, position, year, popularity',
      'rail-collections.ndjson:9: query.order_direction: must be one of ASC, DESC, asc, desc',
      'rail-collections.ndjson:10: query.perPage: must be an integer from 1 to 100',
      'rail-collections.ndjson:11: query.page: must be an integer from 1',
      'rail-collections.ndjson:12: query.limit: is not a parameter of GET /contents',
      `rail-collections.ndjson:13: query.search: ${search}`,
      `rail-collections.ndjson:14: query.search: ${search}`,
      `rail-collections.ndjson:15: query.search: ${search}`,
      'rail-collections.ndjson:15: query.order_by: must be one of start_date, created_at, name, weight, position, year, popularity',
      'rail-collections.ndjson:16: query: must have at most 4000 characters in a URL',
      'rail-collections.ndjson:17: query: must have at most 4000 characters in a URL',
      `rail-collections.ndjson:18: query.type: ${values}`,
      `rail-collections.ndjson:21: query.ids: ${values}`,
      'rail-collections.ndjson:24: query.watched: depends on the viewer, and a rail is the same for everybody'
    ])
  })

  t.test('have rails that are told apart and hold no rails', async t => {
    const wrong = rail(1, { rails: [rail(2), rail(2), rail(3, { rails: [] }), rail(4, { query: { type: '' } })] })
    t.strictSame(await faults({ 'rail-collections.ndjson': lines(wrong) }), [
      'rail-collections.ndjson:1: rails.2.rails: is not a field of rail-collections'
    ])
    const twice = rail(1, { rails: [rail(2), rail(2), rail(4, { query: { type: '' } })] })
    t.strictSame(await faults({ 'rail-collections.ndjson': lines(twice) }), [
      'rail-collections.ndjson:1: rails.1.id: is already used by rails.0',
      'rail-collections.ndjson:1: rails.2.query.type: must be comma-separated types of letters, digits, - and _'
    ])
  })
})

t.test('a support text may be empty', async t => {
  const { run, one } = await importer(t)
  await run({ 'support-texts.ndjson': lines({ id: 1, context: 'login', language: 'en' }) })
  t.match(await one('support_texts', '1/en'), { context: 'login', title: '', content: '' })
})
