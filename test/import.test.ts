import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startMongod } from '../scripts/mongod/start.js'
import { connectionTo } from '../src/data/driver/connection.js'
import { isUnavailable } from '../src/data/driver/faults.js'
import { importFiles } from '../src/import/index.js'
import type { Source } from '../src/import/reading/sources.js'
import { writeFile } from '../src/import/writing/write.js'
import { bcryptHash, importer, lines } from './import/helper.js'
import { proxyTo } from './proxy.js'

const film = (id: number, more: object = {}) => ({ id, type: 'film', name: `Film ${id}`, ...more })
const user = (id: number, more: object = {}) => ({
  id,
  email: `u${id}@example.com`,
  name: `User ${id}`,
  password_hash: bcryptHash,
  ...more
})
const term = (id: number, more: object = {}) => ({ id, vendor_id: `v${id}`, name: `Term ${id}`, taxonomy: 'category', ...more })
const rail = (id: number, more: object = {}) => ({ id, name: `Rail ${id}`, mname: `rail_${id}`, query: { type: 'film' }, ...more })
const show = (id: number, more: object = {}) => ({
  id,
  channel: 'one',
  starts_at: '2026-01-01T10:00:00Z',
  ends_at: '2026-01-01T11:00:00Z',
  content_id: 1,
  ...more
})
const legalText = (language: string, more: object = {}) => ({
  language,
  title: 'Terms',
  sections: [{ title: 'One', content: '<p>1</p>' }],
  ...more
})
const supportText = (id: number, more: object = {}) => ({
  id,
  context: 'login',
  language: 'en',
  title: 'Help',
  content: 'Do this',
  ...more
})

const everything = {
  'users.ndjson': lines(user(1), { id: 2, sub: 'abc' }),
  'terms.ndjson': lines(term(1), { vendor_id: 'free', name: 'Free', taxonomy: 'category' }),
  'contents.ndjson': lines(film(1, { terms: [1] }), film(2, { parent_id: 3 }), film(3)),
  'rail-collections.json': JSON.stringify([rail(1, { rails: [rail(2), rail(3)] })]),
  'legal.ndjson': lines(legalText('en'), legalText('de-CH')),
  'schedule.ndjson': lines(show(1), show(2, { channel: 'two' })),
  'support-texts.ndjson': lines(supportText(1), supportText(1, { language: 'de' })),
  'history.ndjson': lines(
    { user_id: 1, content_id: 1, time: 5, percentage: 50 },
    { user_id: 2, content_id: 1, updated_at: '2024-01-01T00:00:00Z' }
  ),
  'watchlist.ndjson': lines({ user_id: 1, content_id: 1 }, { user_id: 1, content_id: 2, id: 70 })
}

t.test('a run adds every kind, and a second run changes nothing', async t => {
  const { counts, all, db } = await importer(t)
  t.strictSame(await counts(everything), {
    users: [2, 0, 0],
    terms: [2, 0, 0],
    contents: [3, 0, 0],
    'rail-collections': [1, 0, 0],
    legal: [2, 0, 0],
    schedule: [2, 0, 0],
    'support-texts': [2, 0, 0],
    history: [2, 0, 0],
    watchlist: [2, 0, 0]
  })
  const collections = [
    'users',
    'terms',
    'contents',
    'rail_collections',
    'legal_documents',
    'programmes',
    'support_texts',
    'history',
    'watchlist',
    'counters'
  ]
  const read = () => Promise.all(collections.map(all))
  const before = await read()
  t.strictSame(await counts(everything), {
    users: [0, 0, 2],
    terms: [0, 0, 2],
    contents: [0, 0, 3],
    'rail-collections': [0, 0, 1],
    legal: [0, 0, 2],
    schedule: [0, 0, 2],
    'support-texts': [0, 0, 2],
    history: [0, 0, 2],
    watchlist: [0, 0, 2]
  })
  t.strictSame(await read(), before)

  t.test('ids that were given move their counters', async t => {
    const counters = await db.collection<{ _id: string; last: number }>('counters').find().sort({ _id: 1 }).toArray()
    t.strictSame(counters, [
      { _id: 'terms', last: 2 },
      { _id: 'users', last: 2 },
      { _id: 'watchlist', last: 71 }
    ])
  })
  t.test('ids and languages are as the service reads them', async t => {
    t.strictSame(
      (await all('legal_documents')).map(({ _id }) => _id),
      ['de-ch', 'en']
    )
    t.strictSame(
      (await all('support_texts')).map(({ _id }) => _id),
      ['1/de', '1/en']
    )
  })
})

t.test('a content', async t => {
  const { run, counts, one, db, revision } = await importer(t)
  await run({ 'terms.ndjson': lines(term(1)) })

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
      words: ['film', '1']
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
      position: 4
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
      words: ['name', 'title', 'worte', 'key']
    })
  })

  t.test('goes back to the defaults where a later run gives less, but keeps its first times', async t => {
    const before = await one('contents', 2)
    t.strictSame(await counts({ 'contents.ndjson': lines(film(2)) }), { contents: [0, 1, 0] })
    const after = await one('contents', 2)
    const { parent_id, weight, title, deleted_at, terms, words } = after
    t.strictSame([parent_id, weight, title, deleted_at, terms, words], [null, null, {}, null, [], ['film', '2']])
    t.strictSame(after?.created_at, before?.created_at)
    t.strictSame(after?.start_date, before?.start_date)
    t.ok((after?.updated_at as Date) > new Date('2026-01-01'), 'it was updated now')
    t.ok((after?.stamp as Date) > (before?.stamp as Date))
  })

  t.test('tells the servers of each batch', async t => {
    const before = await revision('contents')
    await run({ 'contents.ndjson': lines(...Array.from({ length: 2001 }, (_, at) => film(1000 + at))) })
    t.equal(await revision('contents'), before + 4, 'three batches and the end')
    t.equal(await db.collection('contents').countDocuments(), 2003)
  })

  t.test('whose words an older version stored gets those of this one', async t => {
    const files = { 'contents.ndjson': lines(film(5, { name: '木漏れ日の家' })) }
    await run(files)
    const { words } = await one('contents', 5)
    await db.collection('contents').updateOne({ name: '木漏れ日の家' }, { $set: { words: ['older'], digest: 'of an older version' } })
    t.strictSame(await counts(files), { contents: [0, 1, 0] })
    t.strictSame((await one('contents', 5)).words, words)
    t.strictSame(await counts(files), { contents: [0, 0, 1] })
  })
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
      'terms.ndjson:1: id: the term of this taxonomy and vendor_id is 41',
      'terms.ndjson:3: vendor_id: is the same as at 2',
      'terms.ndjson:5: id: is the same as at 4'
    ])
  })
})

t.test('users', async t => {
  const { run, counts, one, faults } = await importer(t)

  t.test('of either kind', async t => {
    await run({ 'users.ndjson': lines(user(1, { email: 'Ada@Example.com' }), { id: 2, sub: 'abc', created_at: '2020-01-01T00:00:00Z' }) })
    const { created_at, updated_at, ...ada } = await one('users', 1)
    t.strictSame(ada, {
      _id: 1,
      email: 'Ada@Example.com',
      email_key: 'ada@example.com',
      name: 'User 1',
      password_hash: bcryptHash,
      disabled_at: null
    })
    const sub = await one('users', 2)
    t.hasStrict(sub, { name: '', sub: 'abc', iss: 'https://id.example.com', created_at: new Date('2020-01-01') })
    t.notOk('email_key' in sub)
  })
  t.test('keep their password and state', async t => {
    const other = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
    t.strictSame(await counts({ 'users.ndjson': lines(user(1, { email: 'ada@example.com', name: 'Ada', password_hash: other })) }), {
      users: [0, 1, 0]
    })
    t.match(await one('users', 1), { email: 'ada@example.com', name: 'Ada', password_hash: bcryptHash, disabled_at: null })
    t.strictSame(await counts({ 'users.ndjson': lines(user(1, { email: 'ada@example.com', name: 'Ada', password_hash: other })) }), {
      users: [0, 0, 1]
    })
  })
  t.test('keep their day of creation until a file gives another', async t => {
    const of = (created_at: string) => counts({ 'users.ndjson': lines({ id: 2, sub: 'abc', created_at }) })
    t.strictSame(await of('2020-01-01T00:00:00Z'), { users: [0, 0, 1] })
    t.strictSame(await of('2019-01-01T00:00:00Z'), { users: [0, 1, 0] })
    t.strictSame((await one('users', 2)).created_at, new Date('2019-01-01'))
  })
  t.test('lose what a later run does not give', async t => {
    await run({ 'users.ndjson': lines({ id: 1, sub: 'ada' }) })
    const ada = await one('users', 1)
    t.match(ada, { sub: 'ada', name: '', password_hash: bcryptHash })
    t.strictSame(['email' in ada, 'email_key' in ada], [false, false])
    await run({ 'users.ndjson': lines(user(1)) })
    t.equal((await one('users', 1)).sub, undefined)
  })
  t.test('are told apart', async t => {
    const clash = lines(
      user(5, { email: 'U1@example.com' }),
      user(6),
      user(7, { email: 'U6@example.com' }),
      { id: 8, sub: 'abc' },
      { id: 9, sub: 'x' },
      { id: 10, sub: 'x' },
      user(6)
    )
    t.strictSame(await faults({ 'users.ndjson': clash }), [
      'users.ndjson:1: email: is that of user 1',
      'users.ndjson:3: email: is the same as at 2',
      'users.ndjson:4: sub: is that of user 2',
      'users.ndjson:6: sub: is the same as at 5',
      'users.ndjson:7: id: is the same as at 2',
      'users.ndjson:7: email: is the same as at 2'
    ])
  })
  t.test('need an identity', async t => {
    t.strictSame(await faults({ 'users.ndjson': lines({ id: 5 }, { id: 6, email: 'a@b' }, { id: 7, sub: 'x' }) }, { issuer: undefined }), [
      'users.ndjson:1: email: is required of a user without sub',
      'users.ndjson:1: name: is required of a user without sub',
      'users.ndjson:1: password_hash: is required of a user without sub',
      'users.ndjson:2: name: is required of a user without sub',
      'users.ndjson:2: password_hash: is required of a user without sub',
      'users.ndjson:3: sub: needs the setting JWT_ISSUER, whose users these are'
    ])
  })
  t.test('need a hash that a password can be checked against', async t => {
    const [salt, output] = [Buffer.alloc(16, 1), Buffer.alloc(32, 2)].map(bytes => bytes.toString('base64').replaceAll('=', ''))
    const good = [
      bcryptHash,
      bcryptHash.replace('$2y', '$2a'),
      bcryptHash.replace('$2y', '$2b'),
      `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${output}`,
      `$argon2i$m=4096,t=3,p=1$${salt}$${output}`,
      `$argon2d$v=16$m=4096,t=3,p=2$${salt}$${output}`
    ]
    const bad = [
      'secret',
      '5f4dcc3b5aa765d61d8327deb882cf99',
      '$1$abc$def',
      bcryptHash.slice(0, -1),
      `${bcryptHash}a`,
      bcryptHash.replace('$04$', '$03$'),
      bcryptHash.replace('$04$', '$31$'),
      '$argon2id$',
      `$argon2id$v=18$m=19456,t=2,p=1$${salt}$${output}`,
      `$argon2id$v=19$m=7,t=2,p=1$${salt}$${output}`,
      `$argon2id$v=19$m=999999999,t=2,p=1$${salt}$${output}`,
      `$argon2id$v=19$m=19456,t=999,p=1$${salt}$${output}`,
      `$argon2id$v=19$m=19456,t=2,p=1$${salt}=$${output}`,
      `$argon2id$v=19$m=19456,t=2,p=1$AAAA$${output}`,
      `$argon2id$v=19$m=19456,t=2,p=1$${salt}`
    ]
    const text = lines(...[...good, ...bad].map((password_hash, at) => user(100 + at, { password_hash })))
    const expected = bad.map((_, at) => `users.ndjson:${good.length + at + 1}: password_hash: must be an argon2 or bcrypt hash`)
    t.strictSame(await faults({ 'users.ndjson': text }), expected)
  })
})

const withViewers = async (t: Test) => {
  const imports = await importer(t)
  await imports.run({ 'users.ndjson': lines(user(1), user(2)), 'contents.ndjson': lines(film(1), film(2), film(3)) })
  return imports
}

t.test('history', async t => {
  const { counts, all, faults, db } = await withViewers(t)
  const _id = '0123456789abcdef01234567'
  const seen = async (content: number) => db.collection('history').findOne({ user_id: 1, content_id: content })
  const of = (...records: object[]) => ({ 'history.ndjson': lines(...records.map(record => ({ user_id: 1, content_id: 1, ...record }))) })

  t.test('keeps the id and the times that are given', async t => {
    const given = { _id, time: 12.5, percentage: 30, created_at: '2024-01-01T00:00:00Z', updated_at: '2024-02-01T00:00:00Z' }
    t.strictSame(await counts(of(given)), { history: [1, 0, 0] })
    const [element] = await all('history')
    t.hasStrict(element, { time: 12.5, percentage: 30, created_at: new Date('2024-01-01'), updated_at: new Date('2024-02-01') })
    t.equal(String(element?._id), _id)
  })
  t.test('an older line changes nothing, an equal or newer one does', async t => {
    t.strictSame(await counts(of({ time: 1, updated_at: '2024-01-31T00:00:00Z' })), { history: [0, 0, 1] })
    t.match(await seen(1), { time: 12.5, percentage: 30 })
    t.strictSame(await counts(of({ time: 2, updated_at: '2024-02-01T00:00:00Z' })), { history: [0, 1, 0] })
    t.strictSame(await counts(of({ time: 3, percentage: 4, updated_at: '2024-02-02T00:00:00Z', _id: 'f'.repeat(24) })), {
      history: [0, 1, 0]
    })
    const element = await seen(1)
    t.hasStrict(element, { time: 3, percentage: 4, created_at: new Date('2024-01-01'), updated_at: new Date('2024-02-02') })
    t.equal(String(element?._id), _id, 'the id stays')
  })
  t.test('of a pair that comes twice the newest counts, whatever the order', async t => {
    const [old, recent] = [
      { content_id: 2, time: 1, updated_at: '2024-01-01T00:00:00Z' },
      { content_id: 2, time: 2, updated_at: '2024-03-01T00:00:00Z' }
    ]
    await counts(of(recent, old))
    const march = new Date('2024-03-01')
    t.hasStrict(await seen(2), { time: 2, created_at: march, updated_at: march }, 'of which the older one changes nothing')
  })
  for (const [moment, last, updated_at] of [
    ['the same moment', 8, '2024-04-01T00:00:00Z'],
    ['moments to come', 9, '2999-01-01T00:00:00Z'],
    ['no moment', 10, undefined]
  ] as const) {
    t.test(`of a pair that comes twice with ${moment} the last counts, across batches too, and a second run changes nothing`, async t => {
      const line = (time: number) => ({ content_id: 2, time, updated_at })
      const older = Array.from({ length: 1500 }, () => ({ content_id: 2, time: 5, updated_at: '2024-02-01T00:00:00Z' }))
      const twice = of(...older, line(6), line(7), ...older, line(last), ...older)
      t.strictSame(await counts(twice), { history: [0, 1, 4502] })
      t.match(await seen(2), { time: last })
      t.strictSame(await counts(twice), { history: [0, 0, 4503] })
    })
  }
  t.test('a moment to come, or none, is now', async t => {
    const began = new Date()
    const future = of({ content_id: 3, time: 7, updated_at: '2999-01-01T00:00:00Z' })
    t.strictSame(await counts(future), { history: [1, 0, 0] })
    const element = await seen(3)
    t.ok(element?.updated_at >= began && element?.updated_at <= new Date())
    t.strictSame(element?.created_at, element?.updated_at)
    t.match(element, { time: 7, percentage: 0 })
    t.strictSame(await counts(future), { history: [0, 0, 1] })
    t.strictSame(await counts(of({ content_id: 3, time: 7 })), { history: [0, 0, 1] })
    t.strictSame(await counts(of({ content_id: 3, time: 8 })), { history: [0, 1, 0] })
  })
  t.test('refuses ids of other elements, and users and contents that are not there', async t => {
    const other = 'a'.repeat(24)
    const wrong = of({ content_id: 2, _id }, { _id: other }, { _id: other }, { content_id: 3, _id: other }, { user_id: 9, content_id: 8 })
    t.strictSame(await faults(wrong), [
      'history.ndjson:5: user_id: there is no user 9',
      'history.ndjson:5: content_id: there is no content 8',
      'history.ndjson:1: _id: is that of another element',
      'history.ndjson:4: _id: is that of another element'
    ])
  })
})

t.test('watchlist', async t => {
  const { counts, all, faults } = await withViewers(t)
  const elements = async () =>
    (await all('watchlist')).map(({ _id, user_id, content_id, created_at }) => [_id, user_id, content_id, created_at.getUTCFullYear()])
  const of = (...records: object[]) => ({ 'watchlist.ndjson': lines(...records.map(record => ({ user_id: 1, content_id: 1, ...record }))) })

  t.test('of a pair that comes twice the newest is taken, across batches too', async t => {
    const filler = Array.from({ length: 1500 }, () => ({ user_id: 2, content_id: 2, created_at: '2001-01-01T00:00:00Z' }))
    const texts = of(
      { created_at: '2023-01-01T00:00:00Z' },
      ...filler,
      { created_at: '2025-01-01T00:00:00Z' },
      { created_at: '2024-01-01T00:00:00Z' }
    )
    t.strictSame(await counts(texts), { watchlist: [2, 0, 1501] })
    t.strictSame(await elements(), [
      [1, 2, 2, 2001],
      [2, 1, 1, 2025]
    ])
  })
  t.test('an element that is there stays as it is', async t => {
    t.strictSame(
      await counts(of({ id: 50, created_at: '2026-01-01T00:00:00Z' }, { content_id: 3, id: 60, created_at: '2026-01-01T00:00:00Z' })),
      {
        watchlist: [1, 0, 1]
      }
    )
    t.strictSame(await elements(), [
      [1, 2, 2, 2001],
      [2, 1, 1, 2025],
      [60, 1, 3, 2026]
    ])
  })
  t.test('new ids come after those that were given', async t => {
    await counts(of({ content_id: 2, created_at: '2022-01-01T00:00:00Z' }))
    t.strictSame((await elements())[3], [61, 1, 2, 2022])
  })
  t.test('refuses ids of other elements, and users and contents that are not there', async t => {
    const wrong = of({ content_id: 2, id: 60 }, { id: 90 }, { content_id: 2, id: 90 }, { user_id: 9, content_id: 8 })
    t.strictSame(await faults(wrong), [
      'watchlist.ndjson:4: user_id: there is no user 9',
      'watchlist.ndjson:4: content_id: there is no content 8',
      'watchlist.ndjson:1: id: is that of another element',
      'watchlist.ndjson:3: id: is that of another element'
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
    t.strictSame(after.rails[1], before.rails[0], 'what is the same keeps its times')
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
    const search = 'must be a text of at most 200 characters and 8 words, with a letter or a digit'
    const ids = 'must be ids with commas between them'
    const values = 'must be a list of at most 100 values of at most 200 characters each'
    const words = 'must be types of letters, digits, - and _ with commas between them'
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
      'rail-collections.ndjson:16: query: must have at most 4000 characters in an address',
      'rail-collections.ndjson:17: query: must have at most 4000 characters in an address',
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
      'rail-collections.ndjson:1: rails.1.id: is the same as that of rails.0',
      'rail-collections.ndjson:1: rails.2.query.type: must be types of letters, digits, - and _ with commas between them'
    ])
  })
})

t.test('faults of records', async t => {
  const { faults, all } = await importer(t)
  const timestamp = 'must be a timestamp in the form of RFC 3339'

  const cases: [string, object | string, string[]][] = [
    ['contents', '{"id":1', ["1: JSON: Expected ',' or '}' after property value in JSON at position 7"]],
    ['contents', '[]', ['1: JSON: must be an object']],
    ['contents', 'null', ['1: JSON: must be an object']],
    ['contents', {}, ['1: id: is required', '1: type: is required', '1: name: is required']],
    ['contents', film(1, { recent: true, Colour: 1 }), ['1: recent: is not a field of contents', '1: Colour: is not a field of contents']],
    ['contents', film(1, { id: '1' }), ['1: id: must be a positive integer']],
    ['contents', film(0), ['1: id: must be a positive integer']],
    ['contents', film(1.5), ['1: id: must be a positive integer']],
    ['contents', '{"id":9007199254740993,"type":"film","name":""}', ['1: id: must be at most 9007194959773696 (2^53 - 2^32)']],
    ['contents', film(1, { type: 'a film' }), ['1: type: must be a word of letters, digits, - and _']],
    ['contents', film(1, { name: null }), ['1: name: must be a text']],
    ['contents', film(1, { weight: '5' }), ['1: weight: must be an integer or null']],
    ['contents', film(1, { price: true }), ['1: price: must be a number or null']],
    ['contents', '{"id":1,"type":"film","name":"","price":1e999}', ['1: price: must be a number or null']],
    ['contents', film(1, { title: { english: 5 } }), ['1: title.english: must be a text']],
    ['contents', film(1, { title: { en_US: 'x' } }), ['1: title: "en_US" must be a language code like en or en-us']],
    ['contents', film(1, { description: ['x'] }), ['1: description: must be an object from language code to text']],
    ['contents', film(1, { start_date: '2026-02-30T00:00:00Z' }), [`1: start_date: ${timestamp}`]],
    ['contents', film(1, { created_at: '2026-02-20' }), [`1: created_at: ${timestamp}`]],
    ['contents', film(1, { updated_at: null }), [`1: updated_at: ${timestamp}`]],
    ['contents', film(1, { deleted_at: 5 }), [`1: deleted_at: ${timestamp} or null`]],
    [
      'contents',
      film(1, { start_date: '2026-01-02T00:00:00Z', end_date: '2026-01-01T23:59:59Z' }),
      ['1: end_date: must not be before start_date']
    ],
    ['contents', film(1, { countries_include: ['Germany'] }), ['1: countries_include.0: must be an ISO 3166 code of two letters']],
    ['contents', film(1, { plans: { 2: { id: 2 } } }), ['1: plans.2.vendor_name: is required', '1: plans.2.id: must be a text']],
    ['contents', film(1, { plans: { 'a\0b': { id: '2', vendor_name: '' } } }), ['1: plans: must have no key with a zero character']],
    [
      'contents',
      `{"id":1,"type":"film","name":"","pricing":${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`,
      ['1: pricing: must not be deeper than 50 levels']
    ],
    ['contents', film(1, { pricing: { levels: [{ '\ud800': 1 }] } }), ['1: pricing.levels.0: must have only keys of well-formed text']],
    [
      'contents',
      `{"id":1,"type":"film","name":"\\uDC00","pricing":${'{"a":'.repeat(20_000)}"\\ud800"${'}'.repeat(20_000)}}`,
      ['1: name: must be well-formed text', `1: pricing${'.a'.repeat(20_000)}: must be well-formed text`]
    ],
    ['contents', film(1, { terms: [1, '2'] }), ['1: terms.1: must be a positive integer']],
    ['contents', film(1, { terms: [8] }), ['1: terms: there is no term 8']],
    ['contents', film(1, { parent_id: 8 }), ['1: parent_id: there is no content 8']],
    ['contents', film(1, { parent_id: 1 }), ['1: parent_id: makes a circle of parents: 1 > 1']],
    ['terms', { name: 'x', taxonomy: '' }, ['1: vendor_id: is required', '1: taxonomy: must be a text that is not empty']],
    ['users', user(1, { name: 'a\udfffb' }), ['1: name: must be well-formed text']],
    ['users', user(1, { name: '\ud800', id: 'x' }), ['1: id: must be a positive integer']],
    [
      'legal',
      { language: 'English!', sections: [{ colour: 1 }] },
      ['1: sections.0.colour: is not a field of legal', '1: language: must be a language code like en or en-us']
    ],
    [
      'schedule',
      show(1, { ends_at: '2026-01-01T10:00:00Z' }),
      ['1: ends_at: must be after starts_at', '1: content_id: there is no content 1']
    ],
    ['support-texts', { id: 1 }, ['1: context: is required', '1: language: is required']],
    ['users', user(1, { email: 'nobody' }), ['1: email: must be an e-mail address']],
    [
      'history',
      { user_id: 1, content_id: 1, time: -1, percentage: 100.1, _id: 'X' },
      [
        '1: _id: must be an id of 24 hex characters in lower case',
        '1: time: must be a number from 0',
        '1: percentage: must be a number from 0 to 100'
      ]
    ],
    ['watchlist', { user_id: 1 }, ['1: content_id: is required']]
  ]
  for (const [kind, record, expected] of cases) {
    const text = typeof record === 'string' ? record : lines(record)
    t.test(`${kind}: ${expected[0]}`, async t => {
      const found = await faults({ [`${kind}.ndjson`]: text })
      t.strictSame(found.sort(), expected.map(line => `${kind}.ndjson:${line}`).sort())
    })
  }

  t.test('name the element of an array', async t => {
    t.strictSame(await faults({ 'contents.json': JSON.stringify([film(1), film(2, { name: 5 }), film(1)]) }), [
      'contents.json:2: name: must be a text',
      'contents.json:3: id: is the same as at 1'
    ])
  })
  t.test('half of a surrogate pair, of which MongoDB would store another text', async t => {
    const halves = [term(1, { vendor_id: '\ud800' }), term(2, { vendor_id: '\ud801' }), term(3, { name: '\udc00\ud800' })]
    const expected = ['1: vendor_id', '2: vendor_id', '3: name'].map(place => `${place}: must be well-formed text`)
    t.strictSame(
      await faults({ 'terms.ndjson': lines(...halves) }),
      expected.map(fault => `terms.ndjson:${fault}`)
    )
    t.strictSame(
      await faults({ 'terms.json': JSON.stringify(halves) }),
      expected.map(fault => `terms.json:${fault}`)
    )
  })
  t.test('are told up to a hundred, then their number', async t => {
    const found = await faults({ 'contents.ndjson': lines(...Array.from({ length: 2500 }, (_, at) => film(at + 1, { weight: 'x' }))) })
    t.equal(found.length, 101)
    t.equal(found[99], 'contents.ndjson:100: weight: must be an integer or null')
    t.equal(found[100], 'and 2400 more')
  })
  t.test('in one file keep all files from being written', async t => {
    const [found] = await faults({ ...everything, 'watchlist.ndjson': lines({ user_id: 1, content_id: 99 }) })
    t.equal(found, 'watchlist.ndjson:1: content_id: there is no content 99')
    for (const kind of ['users', 'terms', 'contents', 'counters', 'revisions']) t.strictSame(await all(kind), [], `no ${kind}`)
  })
  t.test('the same id twice in each kind that has ids', async t => {
    const twice = {
      'terms.ndjson': lines(term(1), term(1, { vendor_id: 'other' })),
      'contents.ndjson': lines(film(1), film(1)),
      'rail-collections.ndjson': lines(rail(1), rail(1)),
      'legal.ndjson': lines(legalText('en-US'), legalText('EN-us')),
      'schedule.ndjson': lines(show(1), show(1)),
      'support-texts.ndjson': lines(supportText(1), supportText(1, { language: 'EN' }))
    }
    t.strictSame(await faults(twice), [
      'terms.ndjson:2: id: is the same as at 1',
      'contents.ndjson:2: id: is the same as at 1',
      'rail-collections.ndjson:2: id: is the same as at 1',
      'legal.ndjson:2: language: is the same as at 1',
      'schedule.ndjson:2: id: is the same as at 1',
      'support-texts.ndjson:2: language: is the same as at 1'
    ])
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
    t.match(
      found,
      /^contents\.ndjson:[234]: parent_id: makes a circle of parents: (21 > 22 > 23 > 21|22 > 23 > 21 > 22|23 > 21 > 22 > 23)$/
    )
    t.strictSame(others, [])
  })
  t.test('in a circle of many are told in part', async t => {
    const circle = lines(...Array.from({ length: 12 }, (_, at) => film(30 + at, { parent_id: 30 + ((at + 1) % 12) })))
    const [found, ...others] = await faults({ 'contents.ndjson': circle })
    t.match(found, /: makes a circle of parents: (\d+) > (\d+ > ){9}\.\.\. > \1$/)
    t.strictSame(others, [])
  })
  t.test('must not go in a circle by way of the database', async t => {
    t.strictSame(await faults({ 'contents.ndjson': lines(film(1, { parent_id: 3 })) }), [
      'contents.ndjson:1: parent_id: makes a circle of parents: 1 > 3 > 2 > 1'
    ])
  })
  t.test('may be turned round', async t => {
    const turned = lines(film(1, { parent_id: 2 }), film(2, { parent_id: 3 }), film(3))
    t.strictSame(await counts({ 'contents.ndjson': turned }), { contents: [0, 3, 0] })
  })
  t.test('that are not there are told in the order of the file', async t => {
    const orphans = lines(...Array.from({ length: 30 }, (_, at) => film(5000 - at, { parent_id: 900 + at })))
    t.strictSame(
      await faults({ 'contents.ndjson': orphans }),
      Array.from({ length: 30 }, (_, at) => `contents.ndjson:${at + 1}: parent_id: there is no content ${900 + at}`)
    )
  })
})

t.test('--prune', async t => {
  const pruning = { prune: true }

  t.test('removes what the files lack of each kind, and marks contents', async t => {
    const { run, counts, all, one, revision } = await importer(t)
    await run(everything)
    const revisions = ['contents', 'terms', 'rail_collections', 'legal_documents', 'programmes', 'support_texts']
    const before = await Promise.all(revisions.map(revision))
    const less = {
      'users.ndjson': lines(user(1)),
      'terms.ndjson': lines(term(1)),
      'contents.ndjson': lines(film(1, { terms: [1] })),
      'rail-collections.ndjson': lines(rail(5)),
      'legal.ndjson': lines(legalText('EN')),
      'schedule.ndjson': lines(show(2, { channel: 'two' })),
      'support-texts.ndjson': lines(supportText(1, { language: 'de' })),
      'history.ndjson': '',
      'watchlist.ndjson': ''
    }
    t.strictSame(await counts(less, pruning), {
      users: [0, 0, 1],
      terms: [0, 0, 1, 1],
      contents: [0, 0, 1, 2],
      'rail-collections': [1, 0, 0, 1],
      legal: [0, 0, 1, 1],
      schedule: [0, 0, 1, 1],
      'support-texts': [0, 0, 1, 1],
      history: [0, 0, 0],
      watchlist: [0, 0, 0]
    })
    const ids = async (collection: string) => (await all(collection)).map(({ _id }) => _id)
    t.strictSame(await ids('users'), [1, 2], 'users stay')
    t.strictSame(await ids('terms'), [1])
    t.strictSame(await ids('contents'), [1, 2, 3])
    t.strictSame(await ids('rail_collections'), [5])
    t.strictSame(await ids('legal_documents'), ['en'])
    t.strictSame(await ids('programmes'), [2])
    t.strictSame(await ids('support_texts'), ['1/de'])
    t.equal((await all('history')).length, 2)
    t.equal((await all('watchlist')).length, 2)

    const marked = await one('contents', 2)
    t.type(marked?.deleted_at, Date)
    t.strictSame(marked?.updated_at, marked?.deleted_at)
    t.equal((await one('contents', 1))?.deleted_at, null)
    const after = await Promise.all(revisions.map(revision))
    for (const [at, kind] of revisions.entries()) t.ok((after[at] as number) > (before[at] as number), `${kind} has a new revision`)

    t.test('a second run finds nothing more', async t => {
      t.match(await counts(less, pruning), { contents: [0, 0, 1, 0], terms: [0, 0, 1, 0], legal: [0, 0, 1, 0] })
    })
    t.test('a content that is listed again is back', async t => {
      t.strictSame(await counts({ 'contents.ndjson': everything['contents.ndjson'] }, pruning), { contents: [0, 2, 1, 0] })
      t.equal((await one('contents', 2))?.deleted_at, null)
    })
    t.test('kinds without a file stay', async t => {
      t.strictSame(await counts({ 'legal.ndjson': '' }, pruning), { legal: [0, 0, 0, 1] })
      t.strictSame(await ids('terms'), [1])
    })
  })

  t.test('of a term that contents of the run name is a fault', async t => {
    const { run, faults } = await importer(t)
    await run({ 'terms.ndjson': lines(term(1), term(2)) })
    t.strictSame(await faults({ 'terms.ndjson': lines(term(1)), 'contents.ndjson': lines(film(1, { terms: [1, 2] })) }, pruning), [
      'contents.ndjson:1: terms: the term 2 is not in the run, which removes it'
    ])
  })

  t.test('of a term takes it off the contents that stay, until both come again', async t => {
    const { run, counts, one, revision } = await importer(t)
    const contents = { 'contents.ndjson': lines(film(1, { terms: [1, 2] })) }
    await run({ 'terms.ndjson': lines(term(1), term(2)), ...contents })
    const before = await revision('contents')
    await run({ 'terms.ndjson': lines(term(1)) }, pruning)
    t.strictSame((await one('contents', 1))?.terms, [1])
    t.equal(await revision('contents'), before + 1)
    t.strictSame(await counts({ 'terms.ndjson': lines(term(1), term(2)), ...contents }, pruning), {
      terms: [1, 0, 1, 0],
      contents: [0, 1, 0, 0]
    })
    t.strictSame((await one('contents', 1))?.terms, [1, 2])
  })

  t.test('keeps terms that were given by their pair', async t => {
    const { run, all } = await importer(t)
    const free = (vendor_id: string) => ({ vendor_id, name: vendor_id, taxonomy: 'genre' })
    await run({ 'terms.ndjson': lines(free('a'), free('b')) })
    await run({ 'terms.ndjson': lines(free('b'), free('c')) }, pruning)
    t.strictSame(
      (await all('terms')).map(({ _id, vendor_id }) => [_id, vendor_id]),
      [
        [2, 'b'],
        [3, 'c']
      ]
    )
  })
})

t.test('two runs at once make one document of each record', async t => {
  const { counts, all } = await withViewers(t)
  const texts = {
    'terms.ndjson': lines(...Array.from({ length: 300 }, (_, at) => ({ vendor_id: `v${at}`, name: 'x', taxonomy: 'genre' }))),
    'history.ndjson': lines(
      ...Array.from({ length: 300 }, (_, at) => ({
        user_id: 1 + (at % 2),
        content_id: 1 + (at % 3),
        time: at,
        updated_at: '2024-01-01T00:00:00Z'
      }))
    ),
    'watchlist.ndjson': lines(...[1, 2].flatMap(user_id => [1, 2, 3].map(content_id => ({ user_id, content_id }))))
  }
  await Promise.all([counts(texts), counts(texts), counts(texts)])
  t.equal((await all('terms')).length, 300)
  t.equal((await all('history')).length, 6)
  t.equal((await all('watchlist')).length, 6)
})

t.test('progress is told for each step and file, to the last byte', async t => {
  const { run } = await importer(t)
  const seen: string[] = []
  const texts = { 'terms.ndjson': lines(term(1)), 'contents.ndjson': lines(film(1), film(2)) }
  await run(texts, { onProgress: ({ step, file, records, done, total }) => seen.push(`${step} ${file} ${records} ${done}/${total}`) })
  const [first, all] = [texts['terms.ndjson'].length, texts['terms.ndjson'].length + texts['contents.ndjson'].length]
  t.strictSame(seen, [
    `check terms.ndjson 1 ${first}/${all}`,
    `check contents.ndjson 2 ${all}/${all}`,
    `write terms.ndjson 1 ${first}/${all}`,
    `write contents.ndjson 2 ${all}/${all}`
  ])
})

t.test('a run that is stopped ends after the batch under way, and a second one completes it', async t => {
  const { run, counts, all } = await importer(t)
  const texts = {
    'contents.ndjson': lines(...Array.from({ length: 5000 }, (_, at) => film(at + 1))),
    'legal.ndjson': lines(legalText('en'))
  }
  const stop = new AbortController()
  const { interrupted, kinds } = await run(texts, {
    signal: stop.signal,
    prune: true,
    onProgress: ({ step }) => step === 'write' && stop.abort()
  })
  t.equal(interrupted, true)
  t.strictSame(Object.keys(kinds), ['contents'])
  const written = (await all('contents')).length
  t.ok(written > 0 && written < 5000 && written % 1000 === 0, `${written} are written`)
  t.equal(kinds.contents?.added, written)
  t.strictSame(await counts(texts), { contents: [5000 - written, 0, written], legal: [1, 0, 0] })

  t.test('while it takes away, it takes away the rest the next time', async t => {
    const { run, counts } = await importer(t)
    await run(texts)
    const stop = new AbortController()
    const less = { 'contents.ndjson': '', 'legal.ndjson': '' }
    const onProgress = ({ step, file }: { step: string; file: string }) => step === 'write' && file === 'legal.ndjson' && stop.abort()
    t.match(await run(less, { prune: true, signal: stop.signal, onProgress }), { interrupted: true })
    t.strictSame(await counts(less, { prune: true }), { contents: [0, 0, 0, 5000], legal: [0, 0, 0, 1] }, 'in batches')
  })

  t.test('between two kinds of which it takes away, it leaves the second as it is', async t => {
    const { url, run, counts, all } = await importer(t)
    await run({ 'contents.ndjson': lines(film(1)), 'legal.ndjson': lines(legalText('en')) })
    const { client, db } = connectionTo(url, { monitorCommands: true })
    t.teardown(() => client.close())
    const stop = new AbortController()
    client.on('commandStarted', ({ command }) => command.update === 'contents' && stop.abort())
    const less = { 'contents.ndjson': '', 'legal.ndjson': '' }
    const { interrupted, kinds } = await importFiles(db, less, { prune: true, signal: stop.signal })
    t.strictSame([interrupted, kinds.contents?.pruned, kinds.legal?.pruned], [true, 1, undefined])
    t.equal((await all('legal_documents')).length, 1)
    t.strictSame(await counts(less, { prune: true }), { contents: [0, 0, 0, 0], legal: [0, 0, 0, 1] })
  })

  t.test('before it writes, it writes nothing', async t => {
    const { run, all } = await importer(t)
    const { interrupted, kinds } = await run(texts, { signal: AbortSignal.abort() })
    t.strictSame([interrupted, kinds, await all('contents')], [true, {}, []])
  })
})

t.test('what fails while it is written is thrown, and what was written shows', async t => {
  const { db, run, revision, all } = await importer(t)

  t.test('where the database refuses a document', async t => {
    await db.createCollection('legal_documents', { validator: { title: { $ne: 'Refused' } } })
    await t.rejects(run({ 'legal.ndjson': lines(legalText('en'), legalText('de', { title: 'Refused' })) }), /failed validation/)
    t.strictSame(
      (await all('legal_documents')).map(({ _id }) => _id),
      ['en']
    )
    t.equal(await revision('legal_documents'), 1)
  })
  t.test('where the database goes away', async t => {
    const mongod = await startMongod({ say: line => t.comment(line) })
    const { client, db } = connectionTo(mongod.url, { serverSelectionTimeoutMS: 500 })
    t.teardown(() => client.close())
    const stopped: Promise<void>[] = []
    const onProgress = ({ step }: { step: string }) => step === 'write' && stopped.length === 0 && void stopped.push(mongod.stop())
    const contents = lines(...Array.from({ length: 20_000 }, (_, at) => film(at + 1)))
    const error = await importFiles(db, { 'contents.ndjson': contents }, { onProgress }).catch((error: unknown) => error)
    t.ok(isUnavailable(error), String(error))
    await Promise.all(stopped)
  })
  t.test('where it was never there, which is no fault of the files', async t => {
    const { client, db } = connectionTo('mongodb://127.0.0.1:1/away', { serverSelectionTimeoutMS: 100 })
    t.teardown(() => client.close())
    const error = await importFiles(db, { 'users.ndjson': lines(user(1)) }).catch((error: unknown) => error)
    t.ok(isUnavailable(error), String(error))
  })
  t.test('where the connection breaks', async t => {
    const { url, all } = await withViewers(t)
    const proxy = await proxyTo(t, url)
    const { client, db } = connectionTo(proxy.url, { serverSelectionTimeoutMS: 2000 })
    t.teardown(() => client.close())
    const at = (second: number) => new Date(Date.UTC(2024, 0, 1, 0, 0, second)).toISOString()
    const records = Array.from({ length: 3000 }, (_, time) => ({ user_id: 1, content_id: 1, time, updated_at: at(time) }))
    const onProgress = ({ step }: { step: string }) => step === 'write' && proxy.leave()
    const error = await importFiles(db, { 'history.ndjson': lines(...records) }, { onProgress }).catch((error: unknown) => error)
    t.ok(isUnavailable(error), String(error))
    t.match(await all('history'), [{ time: 999 }], 'the batch before it is there')
  })
  t.test('where the client was closed', async t => {
    const { url, all } = await importer(t)
    const { client, db } = connectionTo(url)
    let onBatch = () => {}
    const written = new Promise<void>(resolve => {
      onBatch = resolve
    })
    const source: Source = {
      name: 'watchlist.ndjson',
      kind: 'watchlist',
      format: 'ndjson',
      size: 0,
      state: async () => '',
      async *open() {
        yield Buffer.from('1\n'.repeat(1000))
        await written
        await client.close()
        yield Buffer.from('2')
      }
    }
    const operations = async (records: unknown[]) => [
      { updateOne: { filter: { _id: records[0] as never }, update: { $set: { count: records.length } }, upsert: true as const } }
    ]
    const kind = { collection: 'watchlist', check: () => undefined, operations }
    const error = await writeFile(db, source, kind, { onBatch, signal: undefined }).catch((error: unknown) => error)
    t.ok(isUnavailable(error), String(error))
    t.strictSame(await all('watchlist'), [{ _id: 1, count: 1000 }], 'the batch before it is there')
  })
  t.test('where another process took an e-mail meanwhile', async t => {
    const taking = { _id: 9, email: 'u1@example.com', email_key: 'u1@example.com' }
    const onProgress = ({ step }: { step: string }) => step === 'check' && void db.collection<{ _id: number }>('users').insertOne(taking)
    await t.rejects(run({ 'users.ndjson': lines(user(1)) }, { onProgress }), /E11000/)
  })
})

t.test('a whole surrogate pair may be escaped, and an escape may be spelt out', async t => {
  const { run, one } = await importer(t)
  await run({ 'terms.ndjson': '{"id":1,"vendor_id":"\\uD83D\\ude00","name":"\\\\ud800 😀","taxonomy":"category"}' })
  t.match(await one('terms', 1), { vendor_id: '😀', name: '\\ud800 😀' })
})

t.test('a support text may be empty', async t => {
  const { run, one } = await importer(t)
  await run({ 'support-texts.ndjson': lines({ id: 1, context: 'login', language: 'en' }) })
  t.match(await one('support_texts', '1/en'), { context: 'login', title: '', content: '' })
})

t.test('a text whose name says no kind is a fault', async t => {
  const { faults } = await importer(t)
  const names = 'users, terms, contents, rail-collections, legal, schedule, support-texts, history, watchlist, each as .ndjson or .json'
  t.strictSame(await faults({ 'films.ndjson': '', 'Contents.ndjson': '', 'contents.csv': '' }), [
    `films.ndjson: the name is none of those that can be imported (${names})`,
    `Contents.ndjson: the name is none of those that can be imported (${names})`,
    `contents.csv: the name is none of those that can be imported (${names})`
  ])
})

t.test('paths that cannot be taken are all named', async t => {
  const { db, all } = await importer(t)
  const folder = t.testdir({
    data: { 'contents.ndjson': lines(film(1, { id: 0 })), 'films.json': '[]', 'readme.md': '', '.hidden': '', more: {} },
    empty: {},
    'contents.json': '[]',
    good: { 'contents.ndjson': lines(film(1)) }
  })
  const at = (path: string) => join(folder, path)
  const names = 'users, terms, contents, rail-collections, legal, schedule, support-texts, history, watchlist, each as .ndjson or .json'
  const paths = ['data', 'contents.json', 'gone', 'empty', 'contents.json/inside'].map(at)
  await t.rejects(importFiles(db, paths), {
    message: [
      `${at('data/films.json')}: the name is none of those that can be imported (${names})`,
      `${at('data/more')}: is not a file`,
      `${at('data/readme.md')}: the name is none of those that can be imported (${names})`,
      `${at('gone')}: is not there`,
      `${at('empty')}: holds no file to import (${names})`,
      `${at('contents.json/inside')}: ENOTDIR: not a directory, stat '${at('contents.json/inside')}'`,
      `${at('contents.json')}: a run has one file of contents, and that is ${at('data/contents.ndjson')}`,
      `${at('data/contents.ndjson')}:1: id: must be a positive integer`
    ].join('\n')
  })
  t.strictSame(await all('contents'), [])
  t.match(await importFiles(db, [at('good'), at('good/contents.ndjson')]), { kinds: { contents: { added: 1 } } }, 'a file twice is once')
})

t.test('files that change during a run', async t => {
  const { db, all } = await importer(t)
  const folder = t.testdir({ 'terms.ndjson': lines(term(1)), 'contents.ndjson': lines(film(1)) })
  const contents = join(folder, 'contents.ndjson')

  t.test('are not written', async t => {
    const onProgress = ({ step, file }: { step: string; file: string }) => {
      if (step === 'check' && file === contents) appendFileSync(contents, 'no longer checked')
    }
    await t.rejects(importFiles(db, [contents], { onProgress }), {
      message: `${contents} was changed while it was imported: run the import again`
    })
    t.strictSame(await all('contents'), [])
  })
  t.test('or vanish are a fault', async t => {
    const onProgress = () => rmSync(contents, { force: true })
    await t.rejects(importFiles(db, [folder], { onProgress }), { message: `${contents}: cannot be read (ENOENT)` })
  })
})
