import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { StoredCredit } from '../../src/catalogue/content-documents.js'
import { commandsIn, startCommand } from '../helpers/commands.js'
import { type Seed, seededUrl } from '../helpers/database.js'
import { content, episode, film, person } from '../helpers/documents.js'
import { built } from '../helpers/run.js'
import { until } from '../helpers/until.js'

const start = (t: Test, url: string, args: string[], cwd = '.') =>
  startCommand(t, built('scripts/feed.js'), args, { cwd, settings: { MONGO_URL: url } })

const wanted = ['roku', '--country', 'US', '--language', 'en']

/** Runs the command in the folder. */
const feeds = (t: Test, url: string, cwd = '.') => {
  const run = commandsIn(t, url)
  return (...args: string[]) => run('feed', args, { cwd })
}

const nowhere = 'mongodb://127.0.0.1:1/x'
const complete = { year: 2001, duration: 5400 }

/** What the documentation of the platform demands of each item, and its schema of the words. */
const assertValid = (t: Test, feed: string) => {
  const { version, assets } = JSON.parse(feed)
  t.equal(version, '1')
  const ids = new Set(assets.map(({ id }: { id: string }) => id))
  t.equal(ids.size, assets.length, 'no id occurs twice')
  const series = new Set(assets.filter(({ type }: { type: string }) => type === 'series').map(({ id }: { id: string }) => id))
  for (const asset of assets) {
    const { id, type, titles, shortDescriptions, longDescriptions, releaseYear, images, content, durationInSeconds } = asset
    t.match(id, /^.{1,50}$/)
    t.match(type, /^(movie|series|season|episode|shortForm|tvSpecial)$/)
    t.match(String(releaseYear), /^\d{4}$/)
    const lengths = (texts: { value: string }[] = []) => texts.map(({ value }) => [...value].length)
    t.ok([...lengths(titles), ...lengths(shortDescriptions)].every(length => length > 0 && length <= 200))
    t.ok(lengths(titles).length === 1 && lengths(longDescriptions).every(length => length <= 500))
    t.ok(images[0].type === 'main' && images.every(({ url }: { url: string }) => /^https?:\/\/./.test(url)))
    const isPlayed = type !== 'series' && type !== 'season'
    t.equal(Number.isInteger(durationInSeconds), isPlayed)
    t.strictSame(
      content?.playOptions.map(({ playId }: { playId: string }) => playId),
      isPlayed ? [id] : undefined
    )
    const { seriesId, episodeNumber, seasonNumber } = asset.episodeInfo ?? asset.seasonInfo ?? {}
    t.equal(series.has(seriesId), type === 'season' || type === 'episode')
    t.equal(Number.isInteger(episodeNumber), type === 'episode')
    if (type === 'season') t.ok(Number.isInteger(seasonNumber))
  }
}

/** A catalogue with each kind, and with something to leave out for each reason. */
const seed: Seed = {
  contents: [
    film(9, { ...complete, title: { en: 'A film' }, description: { en: 'What happens' }, terms: [1, 2, 3] }),
    film(8, { ...complete, type: 'movie', countries_exclude: ['us'] }),
    film(7, { ...complete, start_date: new Date('2999-01-01') }),
    film(6, { ...complete, deleted_at: new Date() }),
    film(5, { ...complete, replaces: [4] }),
    film(4, complete),
    // The show has a larger id than what belongs to it.
    content(30, { year: 2010 }),
    content(20, { type: 'season', parent_id: 30, season: 2 }),
    episode(10, 20, { episode: 1, duration: 1500 }),
    episode(11, 20, { duration: 1500 }),
    content(22, { type: 'season', parent_id: 30, season: 3, year: 2011, deleted_at: new Date() }),
    episode(14, 22, { episode: 1, duration: 1500 }),
    content(31),
    content(21, { type: 'season', parent_id: 31, season: 1, year: 2010 }),
    episode(12, 21, { episode: 1, duration: 1500 }),
    content(40, { ...complete, type: 'trailer', duration: 900 }),
    content(41, { ...complete, type: 'concert', duration: 901 }),
    film(42, { ...complete, name: ' ', thumbnail: '', duration: null })
  ]
}

t.test('the feed of a country', async t => {
  const url = await seededUrl(t, seed)
  const folder = t.testdir({ 'genres.json': '{"1": "Drama", "2": ["crime", "drama"]}' })
  const feed = feeds(t, url, folder)
  const printed = await feed(...wanted)
  const written = await feed(...wanted, '--out', 'feed.json', '--genres', 'genres.json', '--license', 'subscription', '--quality', 'UHD')
  const checked = await feed(...wanted, '--check', '--out', 'checked.json')
  const elsewhere = await feed('roku', '--country', 'gb', '--language', 'de-at')

  t.test('has what is open there, each item once, and shows before what belongs to them', async t => {
    const { version, defaultLanguage, defaultAvailabilityCountries, assets, ...more } = JSON.parse(printed.out)
    t.strictSame([version, defaultLanguage, defaultAvailabilityCountries, more], ['1', 'en', ['us'], {}])
    t.strictSame(
      assets.map(({ id, type }: { id: string; type: string }) => `${type} ${id}`),
      ['series 30', 'season 20', 'movie 5', 'movie 9', 'episode 10', 'episode 14', 'shortForm 40', 'tvSpecial 41']
    )
    const [, late] = assets.filter(({ type }: { type: string }) => type === 'episode')
    t.match(late, { releaseYear: 2011, episodeInfo: { seriesId: '30', seasonNumber: 3 } }, 'its season is deleted')
    assertValid(t, printed.out)
    assertValid(t, elsewhere.out)
    const other = JSON.parse(elsewhere.out)
    t.strictSame([other.defaultLanguage, other.defaultAvailabilityCountries], ['de-at', ['gb']])
    t.ok(other.assets.some(({ id }: { id: string }) => id === '8'))
  })

  t.test('counts on standard error', async t => {
    const counts = [
      'in the feed: 8 (series 1, season 1, movie 2, episode 2, shortForm 1, tvSpecial 1)',
      'left out: 5 (no year 1, no series 2, no number 1, no title 1, no image 1, no duration 1)',
      'warnings: no genre 8, no short description 7, no rating 8'
    ]
    t.equal(printed.err, counts.map(line => `${line}\n`).join(''))
    t.strictSame(checked, { status: 0, out: '', err: printed.err })
    t.match(written.err, 'no genre 7')
  })

  t.test('is written to a file if there is one', async t => {
    t.strictSame([printed.status, written.status, written.out], [0, 0, ''])
    t.strictSame((await readdir(folder)).sort(), ['feed.json', 'genres.json'], '--check writes none')
    const { assets } = JSON.parse(await readFile(join(folder, 'feed.json'), 'utf8'))
    const item = assets.find(({ id }: { id: string }) => id === '9')
    t.strictSame(item.genres, ['drama', 'crime'])
    t.match(item.content.playOptions, [{ license: 'subscription', quality: 'uhd', playId: '9' }])
  })
})

t.test('people have the roles that the platform knows', async t => {
  const credits: StoredCredit[] = [
    { person_id: 1, role: 'actor', character: 'One' },
    { person_id: 1, role: 'actor', character: 'Two' },
    { person_id: 2, role: 'composer', character: null },
    { person_id: 2, role: 'writer', character: null },
    { person_id: 3, role: 'actor', character: null }
  ]
  const contents = [film(1, { ...complete, credits }), film(2, { ...complete, credits: null })]
  const url = await seededUrl(t, { contents, people: [person(1, 'Ada'), person(2, 'Grace')] })
  const { assets } = JSON.parse((await feeds(t, url)(...wanted)).out)
  t.strictSame(assets[0].credits, [
    { name: 'Ada', role: 'actor' },
    { name: 'Grace', role: 'screenwriter' }
  ])
  t.notOk('credits' in assets[1])
})

t.test('an empty catalogue is an empty feed', async t => {
  const { status, out, err } = await feeds(t, await seededUrl(t, {}))(...wanted)
  t.strictSame([status, JSON.parse(out).assets], [0, []])
  t.equal(err, 'in the feed: 0 (none)\nleft out: 0 (none)\nwarnings: none\n')
})

t.test('what is wrong with the arguments', async t => {
  const folder = t.testdir({
    'genres.json': '{"1": ["drama", "Drrama"]}',
    'list.json': '["drama"]',
    'names.json': '{"Drama": "drama"}',
    'broken.json': '{"1": ',
    feeds: {}
  })
  const without = (name: string) => wanted.filter((_, at) => ![wanted.indexOf(name), wanted.indexOf(name) + 1].includes(at))
  const sentences: [string[], RegExp][] = [
    [[], /^Usage: node \S+feed\.js roku --country/],
    [['tvos', ...wanted.slice(1)], /^Usage: /],
    [without('--country'), /^--country CODE is missing\nUsage: /],
    [without('--language'), /^--language CODE is missing\nUsage: /],
    [[...wanted, '--fast'], /^Unknown option '--fast'(.|\n)*\nUsage: /],
    [[...wanted, '--country', 'JP'], /^A Roku feed cannot have the country JP\n$/],
    [[...wanted, '--language', 'xx'], /^A Roku feed cannot have the language xx\n$/],
    [[...wanted, '--license', 'rental'], /^A Roku feed cannot have the license rental\n$/],
    [[...wanted, '--quality', '4K'], /^A Roku feed cannot have the quality 4K\n$/],
    [[...wanted, '--genres', 'genres.json'], /^A Roku feed cannot have the genre Drrama\n$/],
    [[...wanted, '--genres', 'list.json'], /^list\.json must be a JSON object from term ids to /],
    [[...wanted, '--genres', 'names.json'], /^names\.json must be a JSON object/],
    [[...wanted, '--genres', 'broken.json'], /^broken\.json must be a JSON object/],
    [[...wanted, '--genres', 'gone.json'], /no such file .*gone\.json/],
    [[...wanted, '--out', 'feeds'], /^feeds is a folder\n$/],
    [[...wanted, '--out', 'gone/feed.json'], /^gone\/feed\.json cannot be written: /],
    [[...wanted, '--out', ''], /^--out FILE is missing\nUsage: /]
  ]
  const feed = feeds(t, nowhere, folder)
  for (const [args, sentence] of sentences) {
    const { status, out, err } = await feed(...args)
    t.strictSame([status, out], [1, ''], args.join(' '))
    t.match(err, sentence)
  }
})

t.test('a failure leaves no file', async t => {
  const folder = t.testdir({ 'feed.json': 'of before' })
  const { status, err } = await feeds(t, nowhere, folder)(...wanted, '--out', 'feed.json')
  t.equal(status, 1)
  t.match(err, /^The database does not respond: /)
  t.strictSame(await readdir(folder), ['feed.json'])
  t.equal(await readFile(join(folder, 'feed.json'), 'utf8'), 'of before')
})

const films = (count: number) =>
  Array.from({ length: count }, (_, n) => film(n + 1, { ...complete, description: { en: 'long '.repeat(90) } }))

t.test('a stop signal leaves no file', async t => {
  const url = await seededUrl(t, { contents: films(4000) })
  const folder = t.testdir({})
  const { child, end } = start(t, url, [...wanted, '--out', 'feed.json'], folder)
  // The path is tested at the start, but written only later.
  const sizes = async () => {
    const names = (await readdir(folder)).filter(name => name.startsWith('.feed.json'))
    return Promise.all(
      names.map(name =>
        stat(join(folder, name)).then(
          ({ size }) => size,
          () => 0
        )
      )
    )
  }
  await until(async () => (await sizes()).some(size => size > 0), { within: 60_000, every: 2 })
  child.kill('SIGTERM')
  t.strictSame(await end(), { status: 143, out: '', err: 'Stopped. Nothing was written.\n' })
  t.strictSame(await readdir(folder), [])

  const printing = start(t, url, wanted)
  await once(printing.child.stdout, 'data')
  printing.child.kill('SIGINT')
  t.match(await printing.end(), { status: 130, err: 'Stopped.\n' })
})

t.test('a reader that has enough ends the command', async t => {
  const { child, end } = start(t, await seededUrl(t, { contents: films(3000) }), wanted)
  child.stdout.once('data', () => child.stdout.destroy())
  t.match(await end(), { status: 0, err: '' })
})
