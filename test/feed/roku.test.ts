import t from 'tap'
import type { StoredCredit } from '../../src/catalogue/content-documents.js'
import { type FeedContent, RokuFeed } from '../../src/feed/roku.js'
import { content, episode, film } from '../helpers/documents.js'

const options = {
  country: 'us',
  language: 'en',
  license: 'free',
  quality: 'hd',
  genres: new Map([
    [1, ['drama', 'crime']],
    [2, ['drama']]
  ])
}
const complete = { year: 2001, duration: 5400 }
const image = (kind: 'poster' | 'backdrop' | 'thumbnail' | 'logo', name: string) => ({ kind, url: `https://images.example/${name}` })

interface Asset {
  id: string
  type: string
  titles: { value: string }[]
  shortDescriptions?: { value: string }[]
  longDescriptions?: { value: string }[]
  releaseYear: number
  images: { type: string; url: string }[]
  [field: string]: unknown
}

/** What a feed makes of contents, in their order. */
const feedOf = (contents: FeedContent[], given: Partial<typeof options> = {}) => {
  const feed = new RokuFeed({ ...options, ...given })
  const pieces = contents.map(item =>
    feed.add(
      item,
      new Map([
        [1, 'Ada'],
        [2, 'Grace']
      ])
    )
  )
  const { assets, ...root } = JSON.parse([feed.begin(), ...pieces, feed.end()].join(''))
  return { feed, root, assets: assets as Asset[], reasons: Object.fromEntries(feed.reasons), warnings: Object.fromEntries(feed.warnings) }
}

const only = (item: FeedContent, given: Partial<typeof options> = {}) => feedOf([item], given).assets[0] as Asset
const lengthOf = (text: string) => [...text].length

t.test('an item with everything', async t => {
  const credits: StoredCredit[] = [
    { person_id: 1, role: 'actor' },
    { person_id: 1, role: 'actor' },
    { person_id: 1, role: 'director' },
    { person_id: 2, role: 'presenter' },
    { person_id: 2, role: 'composer' },
    { person_id: 3, role: 'actor' }
  ]
  const item = film(1, {
    title: { EN: ' A film ', de: 'Ein Film' },
    description: { en: 'What happens' },
    duration: 5400.4,
    end_date: new Date('2099-01-01T00:00:00Z'),
    year: 2001,
    terms: [1, 2, 3],
    images: [
      image('logo', 'logo'),
      image('thumbnail', 'small'),
      image('poster', 'poster'),
      image('poster', 'other'),
      image('backdrop', 'back')
    ],
    age_ratings: [
      { country: 'US', system: 'mpaa', value: 'pg-13' },
      { country: 'PR', system: 'MPAA', value: 'R' },
      { country: 'DE', system: 'FSK', value: '13' },
      { country: 'SE', system: 'Medierådet', value: '11' },
      { country: 'DE', system: 'FSF', value: '12' }
    ]
  })
  t.strictSame(only({ ...item, credits }), {
    id: '1',
    type: 'movie',
    titles: [{ value: 'A film' }],
    shortDescriptions: [{ value: 'What happens' }],
    releaseYear: 2001,
    genres: ['drama', 'crime'],
    credits: [
      { name: 'Ada', role: 'actor' },
      { name: 'Ada', role: 'director' },
      { name: 'Grace', role: 'host' }
    ],
    advisoryRatings: [
      { source: 'MPAA', value: 'PG-13' },
      { source: 'FSF', value: '12' }
    ],
    images: [
      { type: 'main', url: 'https://images.example/poster' },
      { type: 'background', url: 'https://images.example/back' }
    ],
    durationInSeconds: 5400,
    content: { playOptions: [{ license: 'free', quality: 'hd', playId: '1', availabilityEndTime: '2099-01-01T00:00:00.000Z' }] }
  })
  t.strictSame(feedOf([{ ...item, credits }]).warnings, {})
})

t.test('the root of a feed', async t => {
  const { root, assets } = feedOf([])
  t.strictSame({ root, assets }, { root: { version: '1', defaultLanguage: 'en', defaultAvailabilityCountries: ['us'] }, assets: [] })
})

t.test('the kind follows from the type, then from the duration', async t => {
  const kindOf = (type: string, duration: number) => only(content(1, { ...complete, type, duration })).type
  t.equal(kindOf('film', 60), 'movie')
  t.equal(kindOf('movie', 60), 'movie')
  t.equal(kindOf('clip', 900), 'shortForm')
  t.equal(kindOf('constructor', 900.1), 'tvSpecial')
  t.equal(only(content(1, { ...complete, type: 'clip', duration: 0.2 })).durationInSeconds, 1)
})

t.test('a title is in the language of the feed, in a more general one, or the name', async t => {
  const titled = (title: Record<string, string>, language = 'en-us') =>
    only(film(1, { ...complete, name: ' Name ', title }), { language }).titles[0]?.value
  t.equal(titled({ 'en-US': 'Color', en: 'Colour' }), 'Color')
  t.equal(titled({ 'en-US': ' ', en: 'Colour' }), 'Colour')
  t.equal(titled({ de: 'Farbe' }), 'Name')
  t.equal(titled({ 'en-US': 'Color' }, 'en'), 'Name')
})

t.test('long texts are cut at a word', async t => {
  const texts = (text: string, language = 'en') =>
    only(film(1, { ...complete, title: { [language]: text }, description: { [language]: text } }), { language })
  const isCut = (whole: string, value: string, most: number) => {
    t.ok(lengthOf(value) <= most && whole.startsWith(`${value} `), value)
    t.ok(lengthOf(value) > most - 12)
  }
  const long = Array.from({ length: 120 }, (_, n) => `word${n}`).join(' ')
  const cut = texts(long)
  isCut(long, cut.titles[0]?.value ?? '', 200)
  isCut(long, cut.shortDescriptions?.[0]?.value ?? '', 200)
  isCut(long, cut.longDescriptions?.[0]?.value ?? '', 500)

  const whole = `${'\u{1F3D4} '.repeat(99)}\u{1F3D4}\n`
  t.match(texts(`${whole}x`), { titles: [{ value: `${whole}x`.slice(0, -2) }] }, 'a word that ends with the last character stays')
  t.match(
    texts('\u{1F3D4}'.repeat(200)),
    { titles: [{ value: '\u{1F3D4}'.repeat(200) }], longDescriptions: undefined },
    'lengths are code points'
  )
  t.match(texts('x'.repeat(201)).titles, [{ value: 'x'.repeat(200) }], 'a word that is longer is cut itself')
  const japanese = texts('東京の山を歩く人々の物語。'.repeat(20), 'ja').titles[0]?.value ?? ''
  t.ok(lengthOf(japanese) > 190 && lengthOf(japanese) <= 200, 'scripts without spaces have words too')
})

t.test('where there is no poster, a thumbnail serves', async t => {
  const main = (images: ReturnType<typeof image>[] | null, thumbnail: string) => only(film(1, { ...complete, images, thumbnail })).images
  const small = 'https://images.example/small'
  t.strictSame(main([image('backdrop', 'back'), image('thumbnail', 'small')], 'https://images.example/other'), [
    { type: 'main', url: small },
    { type: 'background', url: 'https://images.example/back' }
  ])
  t.strictSame(main(null, 'HTTPS://images.example/small'), [{ type: 'main', url: small }], 'the platform wants a scheme in lower case')
  for (const thumbnail of ['', 'small.jpg', 'https://', 'ftp://images.example/small', 'https://images.example/sm all'])
    t.strictSame(feedOf([film(1, { ...complete, thumbnail })]).reasons, { 'no image': 1 }, thumbnail)
})

t.test('seasons and episodes', async t => {
  const show = content(1, { year: 2010, images: [image('poster', 'show'), image('backdrop', 'back')] })
  const season = (id: number, more: Partial<FeedContent> = {}) =>
    content(id, { type: 'season', parent_id: 1, season: 1, thumbnail: '', ...more })
  const part = (id: number, parent: number, more: Partial<FeedContent> = {}) =>
    episode(id, parent, { episode: 3, duration: 1500, thumbnail: '', ...more })

  t.test('take their year and image from what is above them', async t => {
    const { assets } = feedOf([
      show,
      season(2),
      season(3, { season: 0, year: 2012, images: [image('poster', 'season')] }),
      part(4, 2),
      part(5, 3, { images: [image('backdrop', 'own')] }),
      part(6, 1, { season: 4, year: 2013, thumbnail: 'https://images.example/6' })
    ])
    const main = (name: string) => ({ type: 'main', url: `https://images.example/${name}` })
    const background = (name: string) => ({ type: 'background', url: `https://images.example/${name}` })
    t.strictSame(
      assets.map(({ id, releaseYear, images, seasonInfo, episodeInfo }) => [id, releaseYear, images, seasonInfo ?? episodeInfo]),
      [
        ['1', 2010, [main('show'), background('back')], undefined],
        ['2', 2010, [main('show'), background('back')], { seriesId: '1', seasonNumber: 1 }],
        ['3', 2012, [main('season')], { seriesId: '1', seasonNumber: 0 }],
        ['4', 2010, [main('show'), background('back')], { seriesId: '1', seasonNumber: 1, episodeNumber: 3 }],
        ['5', 2012, [main('season'), background('own')], { seriesId: '1', seasonNumber: 0, episodeNumber: 3 }],
        ['6', 2013, [main('6')], { seriesId: '1', seasonNumber: 4, episodeNumber: 3 }]
      ]
    )
    t.notOk(
      assets.slice(0, 3).some(asset => 'content' in asset || 'durationInSeconds' in asset),
      'shows and seasons are not played'
    )
  })

  t.test('inherit from a season that is not available, too', async t => {
    const feed = new RokuFeed(options)
    const pieces = [
      feed.add(show, new Map()),
      feed.pass(season(2, { year: 2011, images: [image('poster', 'season')] })),
      feed.add(part(3, 2), new Map())
    ]
    const { assets } = JSON.parse([feed.begin(), ...pieces, feed.end()].join(''))
    t.match(assets, [
      { id: '1', type: 'series' },
      { id: '3', releaseYear: 2011, episodeInfo: { seriesId: '1', seasonNumber: 1 } }
    ])
    t.equal(assets.length, 2)
    t.equal(feed.leftOut, 0)
  })

  t.test('need a number, and a series that is in the feed', async t => {
    const { assets, feed, reasons } = feedOf([
      { ...show, year: null },
      season(2, { year: 2010 }),
      season(3, { parent_id: null, season: null, year: 2010, thumbnail: 'https://images.example/3' }),
      part(4, 2),
      part(5, 99, { episode: null, year: 2010, thumbnail: 'https://images.example/5' })
    ])
    t.strictSame(assets, [])
    t.equal(feed.leftOut, 5)
    t.strictSame(reasons, { 'no year': 1, 'no series': 4, 'no number': 2 })
  })

  t.test('may be without a season that is in the feed', async t => {
    const { assets } = feedOf([show, season(2, { season: null }), part(3, 2)])
    t.strictSame(
      assets.map(({ id, episodeInfo }) => [id, episodeInfo]),
      [
        ['1', undefined],
        ['3', { seriesId: '1', episodeNumber: 3 }]
      ]
    )
  })
})

t.test('what is missing is counted, each thing for itself', async t => {
  const bare = film(1, { name: '', thumbnail: '', year: null, duration: null })
  t.strictSame(feedOf([bare, bare]).reasons, { 'no title': 2, 'no year': 2, 'no image': 2, 'no duration': 2 })
  const clip = content(1, { type: 'clip', year: 2001 })
  t.strictSame(feedOf([clip]).reasons, { 'no duration': 1 })

  const before = film(3, { ...complete, terms: null as unknown as number[] })
  const { feed, warnings } = feedOf([film(2, complete), before])
  t.strictSame(warnings, { 'no genre': 2, 'no short description': 2, 'no rating': 2 })
  t.strictSame([feed.size, feed.leftOut, Object.fromEntries(feed.kinds)], [2, 0, { movie: 2 }])
})
