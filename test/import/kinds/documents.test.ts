import t from 'tap'
import { importer, lines, rail } from '../helper.js'

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
      { type: 'a'.repeat(200), ids: Array.from({ length: 100 }, (_, at) => at + 1) }
    ]
    const search = 'must be a string of at most 200 characters and 8 words, with a letter or a digit'
    const ids = 'must be comma-separated ids'
    const values = 'must be a list of at most 100 values of at most 200 characters each'
    const words = 'must be comma-separated types of letters, digits, - and _'
    t.strictSame(await faults({ 'rail-collections.ndjson': lines(...queries.map((query, at) => rail(at + 1, { query }))) }), [
      'rail-collections.ndjson:1: query.type: is required',
      `rail-collections.ndjson:2: query.type: ${words}`,
      `rail-collections.ndjson:3: query.type: ${words}`,
      `rail-collections.ndjson:4: query.parent_id: ${ids}`,
      `rail-collections.ndjson:5: query.terms: ${ids}`,
      `rail-collections.ndjson:6: query.ids: ${ids}`,
      `rail-collections.ndjson:7: query.search: ${search}`,
      'rail-collections.ndjson:8: query.order_by: must be one of start_date, created_at, name, weight',
      'rail-collections.ndjson:9: query.order_direction: must be one of ASC, DESC',
      'rail-collections.ndjson:10: query.perPage: must be an integer from 1 to 100',
      'rail-collections.ndjson:11: query.page: must be an integer from 1',
      'rail-collections.ndjson:12: query.limit: is not a parameter of GET /contents',
      `rail-collections.ndjson:13: query.search: ${search}`,
      `rail-collections.ndjson:14: query.search: ${search}`,
      `rail-collections.ndjson:15: query.search: ${search}`,
      'rail-collections.ndjson:15: query.order_by: must be one of start_date, created_at, name, weight',
      'rail-collections.ndjson:16: query: must have at most 4000 characters in a URL',
      'rail-collections.ndjson:17: query: must have at most 4000 characters in a URL',
      `rail-collections.ndjson:18: query.type: ${values}`,
      `rail-collections.ndjson:21: query.ids: ${values}`
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
