import t from 'tap'
import { largestId } from '../../schemas/import.js'
import { collectionOf } from '../helpers/answers.js'
import { addUser, build } from '../helpers/app.js'
import { until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'
import { importer, lines } from './helper.js'

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
