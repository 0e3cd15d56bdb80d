import t from 'tap'
import { importFiles } from '../../src/import/index.js'
import { collectionOf, idsOf } from '../helpers/answers.js'
import { build } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { film, importer, lines } from '../import/helper.js'

// The year, the images and the national ratings of a title.

const poster = { kind: 'poster', url: 'https://images.example.com/1/poster.jpg', width: 1000, height: 1500 }
const logo = { kind: 'logo', url: 'http://images.example.com/1/logo.svg' }
const ratings = [
  { country: 'us', system: 'MPAA', value: 'PG-13' },
  { country: 'DE', system: 'FSK', value: '12' }
]
const contents = lines(
  film(1, { year: 1999, images: [poster, logo], age_ratings: ratings, start_date: '2021-01-01T00:00:00Z' }),
  film(2, { year: 2024, start_date: '2021-01-02T00:00:00Z' }),
  film(3, { images: [], age_ratings: [], year: null, start_date: '2021-01-03T00:00:00Z' }),
  film(4, { year: 1999, start_date: '2021-01-04T00:00:00Z' }),
  film(5, { start_date: '2021-01-05T00:00:00Z' })
)

t.test('year, images and age_ratings', async t => {
  const app = await build(t)
  const write = async (texts: Record<string, string>) => {
    await importFiles(databaseOf(app), texts)
    await app.catalogue.refresh()
  }
  await write({ 'contents.ndjson': contents })
  const list = async (query: string) => idsOf(await app.inject(`/contents?${query}`))

  t.test('are sent where they are given, in the order given', async t => {
    const [first, , third] = collectionOf(await app.inject('/contents?ids=1,2,3&order_by=start_date&order_direction=ASC'))
    t.match(first, { year: 1999 })
    t.strictSame(first?.images, [poster, logo])
    t.strictSame(first?.age_ratings, [{ country: 'US', system: 'MPAA', value: 'PG-13' }, ratings[1]])
    for (const field of ['year', 'images', 'age_ratings']) t.notOk(field in Object(third), field)
    t.match((await app.inject('/contents/1')).json().data, { year: 1999, images: [poster, logo] })
  })

  t.test('GET /contents by year', async t => {
    t.strictSame((await list('year=1999')).sort(), [1, 4])
    t.strictSame((await list('year=1999,2024')).sort(), [1, 2, 4])
    t.strictSame((await list('year=2024&type=film')).sort(), [2])
    t.strictSame(await list('year=1900'), [])
    t.equal((await app.inject('/contents?year=soon')).statusCode, 400)
    t.strictSame(await list('order_by=year'), [2, 4, 1, 5, 3], 'the latest first, those without a year last')
    t.strictSame(await list('order_by=year&order_direction=ASC'), [1, 4, 2, 3, 5])
  })

  t.test('a rail by year', async t => {
    const rail = (query: object) => ({ id: 1, name: 'Rail', mname: 'rail', query: { type: 'film', ...query } })
    await write({ 'rail-collections.ndjson': lines(rail({ year: [1999, 2024], order_by: 'year' })) })
    const [first] = collectionOf(await app.inject('/rail-collections'))
    t.match(first?.endpoint, /year=1999(,|%2C)2024&order_by=year/)
    await t.rejects(write({ 'rail-collections.ndjson': lines(rail({ year: 'soon' })) }), /query\.year: must be comma-separated ids/)
  })

  t.test('a year may be corrected, and go', async t => {
    await write({ 'contents.ndjson': lines(film(2, { year: 2000 }), film(4)) })
    t.strictSame(await list('year=2024'), [])
    t.strictSame(await list('year=2000'), [2])
    t.strictSame(await list('year=1999'), [1])
  })

  t.test('what other software writes has to fit', async t => {
    const stored = databaseOf(app).collection<{ _id: number }>('contents')
    await stored.updateOne({ _id: 5 }, { $set: { images: [{ kind: 'poster' }] }, $currentDate: { stamp: true } })
    await app.data.revisions.raise('contents')
    await app.catalogue.refresh()
    t.equal((await app.inject('/contents/5')).statusCode, 404)
  })
})

t.test('faults', async t => {
  const { faults } = await importer(t)
  const of = async (more: object) =>
    (await faults({ 'contents.ndjson': lines(film(1, more)) })).map(line => line.replace('contents.ndjson:1: ', ''))
  t.strictSame(await of({ year: 1869 }), ['year: must be an integer from 1870 to 2200 or null'])
  t.strictSame(await of({ year: '1999' }), ['year: must be an integer from 1870 to 2200 or null'])
  const image = (more: object) => of({ images: [{ ...poster, ...more }] })
  t.strictSame(await image({ kind: 'banner' }), ['images.0.kind: must be one of poster, backdrop, thumbnail, logo, still'])
  for (const url of ['ftp://x/y', '//x/y', 'https://', 'https://x/a b', `https://x/${'y'.repeat(2000)}`])
    t.strictSame(await image({ url }), ['images.0.url: must be an http or https URL of at most 2000 characters'], url.slice(0, 20))
  t.strictSame(await image({ width: 0 }), ['images.0.width: must be an integer from 1'])
  t.strictSame(await image({ alt: 'x' }), ['images.0.alt: is not a field of contents'])
  t.strictSame(await of({ images: Array(21).fill(poster) }), ['images: must be a list of at most 20 images or null'])
  const rated = (...given: object[]) => of({ age_ratings: given.map(one => ({ country: 'US', system: 'MPAA', value: 'R', ...one })) })
  t.strictSame(await rated({ country: 'USA' }), ['age_ratings.0.country: must be an ISO 3166 code of two letters'])
  t.strictSame(await rated({ system: '' }), ['age_ratings.0.system: must be a string of 1 to 40 characters'])
  t.strictSame(await rated({ value: '\u{1F3D4}'.repeat(41) }), ['age_ratings.0.value: must be a string of 1 to 40 characters'])
  t.strictSame(await rated({ value: '\u{1F3D4}'.repeat(40) }), [])
  t.strictSame(await rated({}, { country: 'us' }), ['age_ratings: must not have two of the same country and system'])
  t.strictSame(await rated({}, { country: 'CA' }, { system: 'Other' }), [])
})
