import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { largestId } from '../../schemas/import.js'
import { startMongod } from '../../scripts/mongod/start.js'
import { connectionTo } from '../../src/database/connection.js'
import { isUnavailable } from '../../src/database/faults.js'
import { importFiles } from '../../src/import/index.js'
import type { Source } from '../../src/import/sources.js'
import { writeFile } from '../../src/import/writing.js'
import { tellerOf } from '../../src/sync/index.js'
import { collectionOf } from '../helpers/answers.js'
import { addUser, build } from '../helpers/app.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'
import { everything, film, importer, legalText, lines, rail, show, supportText, term, user } from './helper.js'

t.test('faults of records', async t => {
  const { faults, all } = await importer(t)
  const externalIds = 'must be an object from at most 20 providers to ids or null'
  const timestamp = 'must be an RFC 3339 timestamp'

  const cases: [string, object | string, string[]][] = [
    ['contents', '{"id":1', ["1: JSON: Expected ',' or '}' after property value in JSON at position 7"]],
    ['contents', '[]', ['1: JSON: must be an object']],
    ['contents', 'null', ['1: JSON: must be an object']],
    ['contents', {}, ['1: id: is required', '1: type: is required', '1: name: is required']],
    ['contents', film(1, { recent: true, Colour: 1 }), ['1: recent: is not a field of contents', '1: Colour: is not a field of contents']],
    ['contents', film(1, { id: '1' }), ['1: id: must be an integer from 1 to 9007194959773696']],
    ['contents', film(0), ['1: id: must be an integer from 1 to 9007194959773696']],
    ['contents', film(1.5), ['1: id: must be an integer from 1 to 9007194959773696']],
    ['contents', '{"id":9007199254740993,"type":"film","name":""}', ['1: id: must be an integer from 1 to 9007194959773696']],
    ['contents', film(1, { type: 'a film' }), ['1: type: must be a word of letters, digits, - and _']],
    ['contents', film(1, { name: null }), ['1: name: must be a string']],
    ['contents', film(1, { weight: '5' }), ['1: weight: must be an integer or null']],
    ['contents', film(1, { weight: 2 ** 53 }), ['1: weight: must be an integer up to 9007199254740991 or null']],
    ['contents', film(1, { weight: -(2 ** 53) }), ['1: weight: must be an integer from -9007199254740991 or null']],
    ['contents', film(1, { price: true }), ['1: price: must be a number or null']],
    ['contents', '{"id":1,"type":"film","name":"","price":1e999}', ['1: price: must be a number or null']],
    ['contents', film(1, { duration: 0 }), ['1: duration: must be a number above 0 or null']],
    ['contents', film(1, { duration: '90' }), ['1: duration: must be a number above 0 or null']],
    ['contents', '{"id":1,"type":"film","name":"","duration":1e999}', ['1: duration: must be a number above 0 or null']],
    ['contents', film(1, { min_age: 22 }), ['1: min_age: must be an integer from 0 to 21 or null']],
    ['contents', film(1, { min_age: 1.5 }), ['1: min_age: must be an integer from 0 to 21 or null']],
    [
      'contents',
      film(1, { season: -1, episode: 1.5 }),
      ['1: season: must be an integer from 0 or null', '1: episode: must be an integer from 0 or null']
    ],
    ['contents', film(1, { external_ids: ['tt1'] }), [`1: external_ids: ${externalIds}`]],
    ['contents', film(1, { external_ids: { imdb: 1 } }), ['1: external_ids.imdb: must be a string of 1 to 200 characters']],
    ['contents', film(1, { external_ids: { imdb: '' } }), ['1: external_ids.imdb: must be a string of 1 to 200 characters']],
    ['contents', film(1, { external_ids: { imdb: 'x'.repeat(201) } }), ['1: external_ids.imdb: must be a string of 1 to 200 characters']],
    ['contents', film(1, { external_ids: { '': 'x' } }), ['1: external_ids: "" must be a name of 1 to 100 characters']],
    [
      'contents',
      film(1, { external_ids: { ['x'.repeat(101)]: 'x' } }),
      [`1: external_ids: "${'x'.repeat(101)}" must be a name of 1 to 100 characters`]
    ],
    [
      'contents',
      film(1, { external_ids: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [n, 'x'])) }),
      [`1: external_ids: ${externalIds}`]
    ],
    ['contents', film(1, { markers: [{ type: 'song', start: 0 }] }), ['1: markers.0.type: must be one of intro, recap, credits, preview']],
    ['contents', film(1, { markers: [{ type: 'intro', start: -1 }] }), ['1: markers.0.start: must be a number of seconds from 0']],
    ['contents', film(1, { markers: [{ type: 'intro', start: 5, end: 5 }] }), ['1: markers: must end after they start']],
    ['contents', film(1, { duration: 9, markers: [{ type: 'intro', start: 5, end: 10 }] }), ['1: markers: must not exceed the duration']],
    ['contents', film(1, { duration: 9, markers: [{ type: 'credits', start: 10 }] }), ['1: markers: must not exceed the duration']],
    [
      'contents',
      film(1, { markers: Array.from({ length: 21 }, (_, start) => ({ type: 'intro', start })) }),
      ['1: markers: must be a list of at most 20 markers or null']
    ],
    ['contents', film(1, { external_ids: { 'a\0b': 'x' } }), ['1: external_ids: must not have a key with a null character']],
    ['contents', film(1, { title: { english: 5 } }), ['1: title.english: must be a string']],
    ['contents', film(1, { title: { en_US: 'x' } }), ['1: title: "en_US" must be a language code like en or en-us']],
    ['contents', film(1, { description: ['x'] }), ['1: description: must be an object from language codes to strings']],
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
    ['contents', film(1, { plans: { 2: { id: 2 } } }), ['1: plans.2.vendor_name: is required', '1: plans.2.id: must be a string']],
    ['contents', film(1, { plans: { 'a\0b': { id: '2', vendor_name: '' } } }), ['1: plans: must not have a key with a null character']],
    [
      'contents',
      `{"id":1,"type":"film","name":"","pricing":${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`,
      ['1: pricing: must not be nested deeper than 50 levels']
    ],
    ['contents', film(1, { pricing: { levels: [{ '\ud800': 1 }] } }), ['1: pricing.levels.0: must not have keys with unpaired surrogates']],
    [
      'contents',
      `{"id":1,"type":"film","name":"\\uDC00","pricing":${'{"a":'.repeat(20_000)}"\\ud800"${'}'.repeat(20_000)}}`,
      [
        '1: name: must not contain unpaired surrogates',
        `1: ${`pricing${'.a'.repeat(100)}`.slice(0, 200)}…: must not contain unpaired surrogates`
      ]
    ],
    ['contents', film(1, { terms: [1, '2'] }), ['1: terms.1: must be an integer from 1 to 9007194959773696']],
    ['contents', film(1, { terms: [8] }), ['1: terms: there is no term 8']],
    [
      'contents',
      film(1, {
        credits: [
          { person_id: 8, role: 'actor' },
          { person_id: 8, role: 'guest' }
        ]
      }),
      ['1: credits: there is no person 8']
    ],
    [
      'contents',
      film(1, { credits: [{ person_id: 0, role: 'extra', character: '', name: 'x' }] }),
      [
        '1: credits.0.name: is not a field of contents',
        '1: credits.0.person_id: must be an integer from 1 to 9007194959773696',
        '1: credits.0.role: must be one of actor, director, writer, creator, producer, composer, presenter, guest',
        '1: credits.0.character: must be a string of 1 to 200 characters or null'
      ]
    ],
    [
      'contents',
      film(1, { credits: Array.from({ length: 201 }, () => ({ person_id: 1, role: 'actor' })) }),
      ['1: credits: must be a list of at most 200 credits or null']
    ],
    [
      'people',
      { id: 1, name: '', image: 'ftp://images.example/1.jpg' },
      ['1: name: must be a string of 1 to 200 characters', '1: image: must be an http or https URL of at most 2000 characters or null']
    ],
    [
      'contents',
      film(1, { images: ['https://[bad', 'https://x:99999/', 'https://%%', 'https://ok.example'].map(url => ({ kind: 'logo', url })) }),
      [0, 1, 2].map(at => `1: images.${at}.url: must be an http or https URL of at most 2000 characters`)
    ],
    [
      'people',
      { name: 'x'.repeat(201), born: 1970 },
      ['1: id: is required', '1: born: is not a field of people', '1: name: must be a string of 1 to 200 characters']
    ],
    ['contents', film(1, { parent_id: 8 }), ['1: parent_id: there is no content 8']],
    ['contents', film(1, { parent_id: 1 }), ['1: parent_id: makes a cycle of parents: 1 > 1']],
    ['terms', { name: 'x', taxonomy: '' }, ['1: vendor_id: is required', '1: taxonomy: must be a string that is not empty']],
    ['users', user(1, { name: 'a\udfffb' }), ['1: name: must not contain unpaired surrogates']],
    ['users', user(1, { name: '\ud800', id: 'x' }), ['1: id: must be an integer from 1 to 9007194959773696']],
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
    ['users', user(1, { email: 'nobody' }), ['1: email: must be an e-mail address of at most 320 characters']],
    ['users', user(1, { email: `${'x'.repeat(320)}@x` }), ['1: email: must be an e-mail address of at most 320 characters']],
    [
      'history',
      { user_id: 1, content_id: 1, time: -1, percentage: 100.1, _id: 'X' },
      [
        '1: _id: must be an id of 24 lowercase hexadecimal characters',
        '1: time: must be a number from 0',
        '1: percentage: must be a number from 0 to 100'
      ]
    ],
    ['watchlist', { user_id: 1 }, ['1: content_id: is required']],
    ['ratings', { user_id: 1, content_id: 1, rating: 5 }, ['1: rating: must be one of like, dislike']],
    ['preferences', { user_id: 1, audio: 'en' }, ['1: content_id: is required']],
    [
      'preferences',
      { user_id: 1, content_id: null, audio: 'off', subtitles: 'xx-' },
      [
        '1: audio: must be a language tag of at most 35 characters or null',
        '1: subtitles: must be a language tag or off, of at most 35 characters or null'
      ]
    ],
    ['ratings', { user_id: 1, content_id: 1 }, ['1: rating: is required']],
    ['hidden', { user_id: 1, content_id: 1, updated_at: '2026-01-01T00:00:00Z' }, ['1: updated_at: is not a field of hidden']]
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
      'contents.json:2: name: must be a string',
      'contents.json:3: id: is already used by record 1'
    ])
  })
  t.test('half of a surrogate pair, for which MongoDB would store another character', async t => {
    const halves = [term(1, { vendor_id: '\ud800' }), term(2, { vendor_id: '\ud801' }), term(3, { name: '\udc00\ud800' })]
    const expected = ['1: vendor_id', '2: vendor_id', '3: name'].map(place => `${place}: must not contain unpaired surrogates`)
    t.strictSame(
      await faults({ 'terms.ndjson': lines(...halves) }),
      expected.map(fault => `terms.ndjson:${fault}`)
    )
    t.strictSame(
      await faults({ 'terms.json': JSON.stringify(halves) }),
      expected.map(fault => `terms.json:${fault}`)
    )
  })
  t.test('are listed up to a hundred, then counted', async t => {
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
      'terms.ndjson:2: id: is already used in line 1',
      'contents.ndjson:2: id: is already used in line 1',
      'rail-collections.ndjson:2: id: is already used in line 1',
      'legal.ndjson:2: language: is already used in line 1',
      'schedule.ndjson:2: id: is already used in line 1',
      'support-texts.ndjson:2: language: is already used in line 1'
    ])
  })
})

t.test('a whole surrogate pair may be escaped, and an escape may be spelt out', async t => {
  const { run, one } = await importer(t)
  await run({ 'terms.ndjson': '{"id":1,"vendor_id":"\\uD83D\\ude00","name":"\\\\ud800 😀","taxonomy":"category"}' })
  t.match(await one('terms', 1), { vendor_id: '😀', name: '\\ud800 😀' })
})

t.equal(largestId, 2 ** 53 - 2 ** 32)

const at = '2026-01-01T00:00:00Z'

const query = { type: 'film' }

const recordsWith = (id: number): Record<string, object> => ({
  users: { id, sub: 'somebody' },
  terms: { id, vendor_id: 'v', name: 'Term', taxonomy: 'category' },
  contents: { id, type: 'film', name: 'Film', terms: [id] },
  'rail-collections': {
    id,
    name: 'Rails',
    mname: 'rails',
    query,
    framework_through_key: id,
    rails: [{ id, name: 'Rail', mname: 'rail', query }]
  },
  schedule: { id, channel: 'one', starts_at: at, ends_at: '2026-01-01T01:00:00Z', content_id: id },
  'support-texts': { id, context: 'playback', language: 'en' },
  history: { user_id: id, content_id: id, updated_at: at },
  watchlist: { id, user_id: id, content_id: id, created_at: at }
})

const filesOf = (records: Record<string, object>) =>
  Object.fromEntries(Object.entries(records).map(([kind, record]) => [`${kind}.ndjson`, lines(record)]))

t.test('imported ids', async t => {
  const { url, run, faults } = await importer(t)
  const rule = 'must be an integer from 1 to 9007194959773696'

  t.test('out of bounds are refused in every kind, and the error names the bounds', async t => {
    for (const id of [largestId + 1, Number.MAX_SAFE_INTEGER, 1e300])
      t.strictSame(
        (await faults(filesOf(recordsWith(id)))).map(line => line.replace(/^(.*)\.ndjson:1: /, '$1 ')).sort(),
        [
          'contents id',
          'contents terms.0',
          'history content_id',
          'history user_id',
          'rail-collections framework_through_key',
          'rail-collections id',
          'rail-collections rails.0.id',
          'schedule content_id',
          'schedule id',
          'support-texts id',
          'terms id',
          'users id',
          'watchlist content_id',
          'watchlist id',
          'watchlist user_id'
        ].map(field => `${field}: ${rule}`)
      )
    t.strictSame(await faults(filesOf({ contents: { id: 1, type: 'film', name: 'Film', parent_id: largestId + 1 } })), [
      `contents.ndjson:1: parent_id: ${rule} or null`
    ])
    t.strictSame(await faults(filesOf({ contents: { id: -1, type: 'film', name: 'Film' } })), [`contents.ndjson:1: id: ${rule}`])
  })

  t.test('up to the upper bound are taken, and leave room for the next ones', async t => {
    const { kinds } = await run(filesOf(recordsWith(largestId)))
    for (const [kind, { added }] of Object.entries(kinds)) t.equal(added, 1, kind)
    await run({ 'terms.ndjson': lines({ vendor_id: 'next', name: 'Next', taxonomy: 'category' }) })

    const app = await build(t, { url })
    await until(async () => (await app.inject(`/contents/${largestId}`)).statusCode === 200)
    t.equal((await app.inject(`/terms/${largestId + 1}`)).statusCode, 200)
    t.equal((await addUser(app))._id, largestId + 1)
    const viewer = await viewerOf(app)
    t.equal(viewer.id, largestId + 2)
    t.equal((await viewer.post('/watchlist', { content_id: largestId })).statusCode, 201)
    const [element] = collectionOf(await viewer.get('/watchlist'))
    t.match(element, { id: largestId + 1, user_id: largestId + 2, content_id: largestId })
    t.equal((await viewer.post('/history', { content_id: largestId, time: 5 })).statusCode, 201)
    t.equal(collectionOf(await viewer.get('/continue-watching')).length, 1)
    t.equal((await viewer.remove(`/watchlist/${element.id}`)).statusCode, 200)
  })
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

  t.test('while it prunes, it prunes the rest the next time', async t => {
    const { run, counts } = await importer(t)
    await run(texts)
    const stop = new AbortController()
    const less = { 'contents.ndjson': '', 'legal.ndjson': '' }
    const onProgress = ({ step, file }: { step: string; file: string }) => step === 'write' && file === 'legal.ndjson' && stop.abort()
    t.match(await run(less, { prune: true, signal: stop.signal, onProgress }), { interrupted: true })
    t.strictSame(await counts(less, { prune: true }), { contents: [0, 0, 0, 5000], legal: [0, 0, 0, 1] }, 'pruning writes in batches')
  })

  t.test('between pruning two kinds, it leaves the second as it is', async t => {
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

const things: Source = {
  name: 'things',
  kind: 'watchlist',
  format: 'ndjson',
  size: 1,
  state: async () => '',
  open: () => [Buffer.from('1')]
}
const writing = { onBatch: () => {}, signal: undefined, confirm: async () => ({}), tell: tellerOf() }

t.test('a failure while writing is thrown, and what was written before is announced', async t => {
  const { db, run, revision, all } = await importer(t)

  t.test('where the database refuses a document', async t => {
    await db.dropCollection('contents')
    await db.createCollection('contents', { validator: { name: { $ne: 'Refused' } } })
    await t.rejects(run({ 'contents.ndjson': lines(film(1), film(2, { name: 'Refused' })) }), /failed validation/)
    t.strictSame(
      (await all('contents')).map(({ _id }) => _id),
      [1]
    )
    t.equal(await revision('contents'), 1)
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
    const { url, all } = await importer(t)
    const proxy = await proxyTo(t, url)
    const { client, db } = connectionTo(proxy.url, { serverSelectionTimeoutMS: 2000 })
    t.teardown(() => client.close())
    const records = Array.from({ length: 3000 }, (_, at) => film(at + 1))
    const onProgress = ({ step }: { step: string }) => step === 'write' && proxy.leave()
    const error = await importFiles(db, { 'contents.ndjson': lines(...records) }, { onProgress }).catch((error: unknown) => error)
    t.ok(isUnavailable(error), String(error))
    t.equal((await all('contents')).length, 1000, 'the batch before it was written')
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
    const kind = { collection: 'things', check: () => undefined, operations }
    const error = await writeFile(db, source, kind, { onBatch, signal: undefined, confirm: async () => ({}), tell: tellerOf() }).catch(
      (error: unknown) => error
    )
    t.ok(isUnavailable(error), String(error))
    t.strictSame(await all('things'), [{ _id: 1, count: 1000 }], 'the batch before it was written')
  })
  t.test('where others change what it writes, again and again', async t => {
    const { db, all } = await importer(t)
    let attempts = 0
    const operations = async () => {
      attempts++
      return [{ updateOne: { filter: { _id: 1, version: attempts - 1 }, update: { $set: { isImported: true } } } }]
    }
    const write = (kind: object) => writeFile(db, things, { collection: 'things', check: () => undefined, operations, ...kind }, writing)
    await t.rejects(write({}), { message: 'things: other processes keep changing the same documents' })
    t.equal(attempts, 5)

    attempts = 0
    await db.collection<{ _id: number }>('things').insertOne({ _id: 1, ...{ version: 2 } })
    t.strictSame(await write({}), { added: 0, changed: 1, unchanged: 0 })
    t.equal(attempts, 3, 'a batch is prepared anew until it fits')
    t.match(await all('things'), [{ version: 2, isImported: true }])
  })
  t.test('or does not fail, but takes so long that apps may have read past it: it arrives anew', async t => {
    const { db, all } = await importer(t)
    const arrived_at = new Date()
    const operations = async () => {
      await sleep(5100)
      return [{ insertOne: { document: { _id: 1, arrived_at } } }]
    }
    await writeFile(db, things, { collection: 'things', arrives: true, check: () => undefined, operations }, writing)
    const [arrived] = (await all('things')).map(({ arrived_at }) => arrived_at)
    t.ok(Number(arrived) - Number(arrived_at) > 5000)
  })
  t.test('where another process took an e-mail meanwhile', async t => {
    const taking = { _id: 9, email: 'u1@example.com', email_key: 'u1@example.com' }
    const onProgress = ({ step }: { step: string }) =>
      step === 'check' && void db.collection<{ _id: number }>('users').insertOne(taking, { bypassDocumentValidation: true })
    await t.rejects(run({ 'users.ndjson': lines(user(1)) }, { onProgress }), /E11000/)
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
      'people.ndjson': lines({ id: 2, name: 'Tomás Ré', image: 'https://images.example/2.jpg' }),
      'contents.ndjson': lines(film(1, { terms: [1], credits: [{ person_id: 2, role: 'actor', character: 'Mora' }] })),
      'rail-collections.ndjson': lines(rail(5)),
      'legal.ndjson': lines(legalText('EN')),
      'schedule.ndjson': lines(show(2, { channel: 'two' })),
      'support-texts.ndjson': lines(supportText(1, { language: 'de' })),
      'history.ndjson': '',
      'watchlist.ndjson': '',
      'hidden.ndjson': '',
      'ratings.ndjson': '',
      'preferences.ndjson': ''
    }
    t.strictSame(await counts(less, pruning), {
      users: [0, 0, 1],
      terms: [0, 0, 1, 1],
      people: [0, 0, 1, 1],
      contents: [0, 0, 1, 2],
      'rail-collections': [1, 0, 0, 1],
      legal: [0, 0, 1, 1],
      schedule: [0, 0, 1, 1],
      'support-texts': [0, 0, 1, 1],
      history: [0, 0, 0],
      watchlist: [0, 0, 0],
      hidden: [0, 0, 0],
      ratings: [0, 0, 0],
      preferences: [0, 0, 0]
    })
    const ids = async (collection: string) => (await all(collection)).map(({ _id }) => _id)
    t.strictSame(await ids('users'), [1, 2], 'pruning removes no users')
    t.strictSame(await ids('terms'), [1])
    t.strictSame(await ids('people'), [2])
    t.strictSame(await ids('contents'), [1, 2, 3])
    t.strictSame(await ids('rail_collections'), [5])
    t.strictSame(await ids('legal_documents'), ['en'])
    t.strictSame(await ids('programmes'), [2])
    t.strictSame(await ids('support_texts'), ['1/de'])
    t.equal((await all('history')).length, 2)
    t.equal((await all('watchlist')).length, 2)
    t.equal((await all('hidden')).length, 1)
    t.equal((await all('ratings')).length, 1)

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
      'contents.ndjson:1: terms: the term 2 is not in the import, which removes it'
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

  t.test('of a person takes them out of the credits that stay, until they come again', async t => {
    const { faults, counts, one, revision } = await importer(t)
    const ines = { id: 1, name: 'Ines' }
    const both = lines(ines, { id: 2, name: 'Bo' })
    const credits = [1, 2].map(person_id => ({ person_id, role: 'actor', character: null }))
    const contents = { 'contents.ndjson': lines(film(1, { credits }), film(2, { credits: credits.slice(1) })) }
    t.strictSame(await counts({ 'people.ndjson': both, ...contents }), { people: [2, 0, 0], contents: [2, 0, 0] })
    t.strictSame(await faults({ 'people.ndjson': lines(ines), ...contents }, pruning), [
      'contents.ndjson:1: credits: the person 2 is not in the import, which removes it',
      'contents.ndjson:2: credits: the person 2 is not in the import, which removes it'
    ])
    const before = await revision('contents')
    t.strictSame(await counts({ 'people.ndjson': lines(ines) }, pruning), { people: [0, 0, 1, 1] })
    t.strictSame((await one('contents', 1)).credits, credits.slice(0, 1))
    t.strictSame((await one('contents', 2)).credits, [])
    t.equal(await revision('contents'), before + 1)
    t.strictSame(await counts({ 'people.ndjson': both, ...contents }), { people: [1, 0, 1], contents: [0, 2, 0] })
    t.strictSame((await one('contents', 1)).credits, credits)
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
