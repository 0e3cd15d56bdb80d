import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { demoContents, parseLinesAt, staticText } from '../../../demo/contents.js'
import { choicesFrom } from '../../../scripts/bench/data/generate.js'
import { everybody } from '../../../src/catalogue/audience.js'
import { jsonAnswer } from '../../../src/catalogue/bytes.js'
import { Catalogue } from '../../../src/catalogue/catalogue.js'
import type { ContentDocument } from '../../../src/catalogue/content-documents.js'
import { contentsAnswer } from '../../../src/catalogue/contents.js'
import { defaultOrder, Listing } from '../../../src/catalogue/listing.js'
import { nobody } from '../../../src/catalogue/people.js'
import { type Pause, Search } from '../../../src/catalogue/search/index.js'
import { Skeleton } from '../../../src/catalogue/skeleton.js'
import { Terms } from '../../../src/catalogue/terms.js'
import { idsOf } from '../../helpers/answers.js'
import { buildWith } from '../../helpers/app.js'
import { change } from '../../helpers/database.js'
import { content, term } from '../../helpers/documents.js'

const noTerms = new Terms([])

/** The ids that a search finds, in order. */
const found = async (
  search: Search,
  text: string,
  skeleton: Skeleton,
  terms = noTerms,
  byRelevance = true,
  pause: Pause = () => undefined
) => {
  const listing = new Listing(skeleton)
  const page = { page: 1, perPage: 1000 }
  const { shown } = await search.find(
    { search: text, byRelevance, skeleton, terms, people: nobody },
    ranks => listing.page({}, defaultOrder, everybody, Date.now(), page, ranks),
    pause
  )
  return shown.map(row => skeleton.idOf(row))
}

const skeletonOf = (documents: Iterable<ContentDocument>) => {
  const skeleton = new Skeleton()
  for (const document of documents) skeleton.put(document)
  return skeleton
}

const indexOf = async (documents: ContentDocument[], skeleton = skeletonOf(documents)) => {
  const search = new Search(async function* () {
    yield* documents
  })
  await search.catchUp(skeleton)
  return { search, skeleton }
}

t.test('the search reads only the words of changed contents', async t => {
  const documents = new Map([1, 2, 3].map(id => [id, content(id, { name: `name${id}` })]))
  const read: (number[] | undefined)[] = []
  const search = new Search(async function* (ids) {
    read.push(ids)
    for (const id of ids ?? documents.keys()) {
      const document = documents.get(id)
      if (document) yield document
    }
  })
  const skeleton = skeletonOf(documents.values())
  t.strictSame(await found(search, 'name2', skeleton), [], 'nothing is indexed yet')
  await search.catchUp(skeleton)
  t.strictSame(await found(search, 'name2', skeleton), [2])
  await search.catchUp(skeleton)

  const changed = content(2, { name: 'other', stamp: new Date(Date.now() + 1000) })
  documents.set(2, changed)
  skeleton.put(changed)
  await search.catchUp(skeleton)
  t.strictSame(await found(search, 'name', skeleton), [3, 1])
  t.strictSame(await found(search, 'other', skeleton), [2])

  // One document was removed by hand, others have no lists of words.
  skeleton.put({ ...changed, stamp: new Date(Date.now() + 2000) })
  documents.delete(2)
  const words = (words: unknown) => words as ContentDocument['words']
  documents.set(4, { ...content(4), words: words(null) })
  documents.set(5, { ...content(5), words: words({ names: [5, 'five'], keywords: 'five' }) })
  skeleton.put(content(4))
  skeleton.put(content(5))
  await search.catchUp(skeleton)
  await search.catchUp(skeleton)
  t.strictSame(await found(search, 'other', skeleton), [])
  t.strictSame(await found(search, 'five', skeleton), [5])
  t.strictSame(read, [[1, 2, 3], [2], [2, 4, 5]])

  for (let id = 10; id < 1100; id++) skeleton.put(content(id))
  await search.catchUp(skeleton)
  t.equal(read.at(-1), undefined, 'after many changes, everything is read again')
})

t.test('what could not be read is read the next time, also into new rows', async t => {
  let documents = [content(1, { name: 'before' })]
  let isFailing = false
  const search = new Search(async function* () {
    if (isFailing) throw new Error('the words cannot be read')
    yield* documents
  })
  await search.catchUp(skeletonOf(documents))
  documents = [content(1, { name: 'after', stamp: new Date(Date.now() + 1000) })]
  const reloaded = skeletonOf(documents)
  isFailing = true
  await t.rejects(search.catchUp(reloaded), /cannot be read/)
  isFailing = false
  await search.catchUp(reloaded)
  t.strictSame([await found(search, 'before', reloaded), await found(search, 'after', reloaded)], [[], [1]])
})

t.test('the index stays right when everything is read again into other rows', async t => {
  const documents = [1, 2, 3, 4].map(id => content(id, { name: `name${id}` }))
  const { search, skeleton } = await indexOf(documents)
  const [, second, third] = documents as [ContentDocument, ContentDocument, ContentDocument]
  const reloaded = skeletonOf([third, second, content(5, { name: 'name5' })])
  t.strictSame(await found(search, 'name', reloaded), [3, 2], 'before the words are read')
  t.strictSame(await found(search, 'name3', reloaded), [3])
  documents.push(content(5, { name: 'name5' }))
  await search.catchUp(reloaded)
  t.strictSame(await found(search, 'name', reloaded), [5, 3, 2])
  t.strictSame(await found(search, 'name', skeleton), [3, 2], 'for a list that was begun before')
})

t.test('large catalogues are indexed in parts', async t => {
  const words = { names: [], keywords: [], description: Array.from({ length: 70_000 }, (_, n) => `word${n}`) }
  const documents = Array.from({ length: 10 }, (_, id) => ({ ...content(id + 1), words }))
  const { search, skeleton } = await indexOf(documents)
  t.ok(search.version >= 3)
  t.equal((await found(search, 'word69999', skeleton)).length, 10)

  const ended: string[] = []
  const ask = (text: string) =>
    search.inTurn(() => found(search, text, skeleton, noTerms, true, search.pauses())).then(() => ended.push(text))
  const expensive = Array.from({ length: 8 }, (_, n) => `wordwords${'abcdefgh'.charAt(n)}`).join(' ')
  await Promise.all([ask(`word6 ${expensive}`), ask('word69999')])
  t.strictSame(ended, ['word69999', `word6 ${expensive}`], 'a search does not wait for an expensive one')

  const pause = search.pauses()
  await sleep(310)
  t.throws(pause, /unavailable/, 'a search ends when nobody waits for it')
})

/** Words that are easily mistaken for each other. */
const vocabulary = [
  'ka',
  'kalo',
  'kalomi',
  'kalomu',
  'kalomiren',
  'kalomirenu',
  'klaomiren',
  'alomiren',
  'xalomiren',
  'lomiren',
  'lomi',
  'loomi',
  'sutalo9'
]
const similar = ['kalomi', 'kalomx', 'kalomirxn', 'kalomixxn', 'aklomiren', 'lomirren', 'lmiren', 'ka', 'sutaol9', 'sutalo', 'loomi']

/** The fewest typos between what was typed and any beginning of a word, with those that touch the first letter counted twice. */
const typosOf = (typed: string, word: string, allowed: number) => {
  const memo = new Map<string, number>()
  const rest = (i: number, j: number, end: number): number => {
    const key = `${i} ${j} ${end}`
    const known = memo.get(key)
    if (known !== undefined) return known
    const ways: number[] = []
    if (i === typed.length && j === end) ways.push(0)
    const first = i === 0 || j === 0 ? 2 : 1
    if (i < typed.length) ways.push(rest(i + 1, j, end) + (i === 0 ? 2 : 1))
    if (j < end) ways.push(rest(i, j + 1, end) + (j === 0 ? 2 : 1))
    if (i < typed.length && j < end) ways.push(rest(i + 1, j + 1, end) + (typed[i] === word[j] ? 0 : first))
    if (typed[i] === word[j + 1] && typed[i + 1] === word[j] && i + 1 < typed.length && j + 1 < end)
      ways.push(rest(i + 2, j + 2, end) + first)
    const best = Math.min(...ways)
    memo.set(key, best)
    return best
  }
  const ends = Array.from({ length: word.length + 1 }, (_, end) => rest(0, 0, end))
  const typos = Math.min(...ends)
  return typos <= allowed ? { typos, beginning: Number(ends.at(-1) !== typos) } : undefined
}

/** The contract, word by word: undefined if a content does not match, else what it is ordered by. */
const placeOf = (text: string, document: ContentDocument, termNames: Map<number, string>, withTypos: boolean) => {
  const split = (texts: string[]) => texts.join(' ').split(/[^a-z0-9]+/)
  const fields = [
    split([document.name, ...Object.values(document.title)]),
    split([document.keywords, ...document.terms.map(term => termNames.get(term) as string)]),
    split(Object.values(document.description))
  ]
  const matches = [...new Set(text.split(' '))].map(typed => {
    const allowed = !withTypos || /[0-9]/.test(typed) ? 0 : typed.length >= 9 ? 2 : typed.length >= 5 ? 1 : 0
    return fields
      .flatMap((words, field) => words.flatMap(word => ({ field, ...typosOf(typed, word, allowed) })))
      .flatMap(({ field, typos, beginning = 0 }) => (typos === undefined ? [] : { field, typos, beginning }))
      .toSorted((a, b) => a.typos - b.typos || a.field - b.field || a.beginning - b.beginning)[0]
  })
  const isWhole = [document.name, ...Object.values(document.title)].some(name => name.replaceAll(' ', '') === text.replaceAll(' ', ''))
  if (isWhole) return [0, 0, 0, 0]
  if (matches.includes(undefined)) return undefined
  const all = matches as { field: number; typos: number; beginning: number }[]
  const typos = all.reduce((sum, match) => sum + match.typos, 0)
  return [1, typos, Math.max(...all.map(({ field }) => field)), Math.max(...all.map(({ beginning }) => beginning))]
}

t.test('searches follow the contract, whatever the contents and the search', async t => {
  const phrase = (maxLength: number) => fc.array(fc.constantFrom(...vocabulary), { maxLength }).map(words => words.join(' '))
  const text = fc.record({
    name: fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 3 }).map(words => words.join(' ')),
    title: fc.record({ de: phrase(2) }),
    keywords: phrase(2),
    description: fc.record({ en: phrase(3) }),
    weight: fc.constantFrom(1, 2, null),
    terms: fc.subarray([1, 2])
  })
  const search = fc.array(fc.constantFrom(...vocabulary, ...similar), { minLength: 1, maxLength: 3 }).map(words => words.join(' '))
  const check = async (texts: Partial<ContentDocument>[], names: [string, string], searched: string[]) => {
    const documents = texts.map((text, n) => content(n + 1, text))
    const terms = new Terms([term(1, { name: names[0] }), term(2, { name: names[1] })])
    const termNames = new Map(terms.documents.map(({ _id, name }) => [_id, name]))
    const { search, skeleton } = await indexOf(documents)
    for (const text of searched) {
      const exact = documents.filter(document => placeOf(text, document, termNames, false))
      const places = documents.flatMap(document => {
        const place = placeOf(text, document, termNames, exact.length < 10)
        const { _id, weight } = document
        return place ? { _id, order: [...place, weight === null ? 1 : 0, -(weight ?? 0), -_id] } : []
      })
      const compare = (one: number[], other: number[]) => one.map((value, n) => value - (other[n] as number)).find(Boolean) ?? 0
      const inOrder = places.toSorted((a, b) => compare(a.order, b.order)).map(({ _id }) => _id)
      t.strictSame(await found(search, text, skeleton, terms), inOrder, text)
      const byWeight = ({ order: [, typos = 0, , , ...rest] }: { order: number[] }) => [Math.min(typos, 1), ...rest]
      t.strictSame(
        await found(search, text, skeleton, terms, false),
        places.toSorted((a, b) => compare(byWeight(a), byWeight(b))).map(({ _id }) => _id),
        `${text}, by weight`
      )
    }
  }
  const names = fc.tuple(fc.constantFrom(...vocabulary), fc.constantFrom(...vocabulary))
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 30 }), names, fc.array(search, { minLength: 1, maxLength: 5 }), check),
    { numRuns: 60 }
  )
})

t.test('few searches wait, and none for long', async t => {
  let hasAnswered = false
  const app = await buildWith(t, { contents: [content(1)] })
  const read = async function* (ids: number[]) {
    await sleep(5000, undefined, { ref: false })
    hasAnswered = true
    yield* app.data.contents.byIds(ids)
  }
  const catalogue = new Catalogue({ data: app.data, readContents: read, cacheBytes: 1000 })
  await catalogue.refresh()
  const make = () => catalogue.fragments.load([1]).then(() => jsonAnswer([]))
  const ask = (n: number) => catalogue.answer(`search ${n}`, make, job => catalogue.search.inTurn(job))
  const began = performance.now()
  const crowd = await Promise.allSettled(Array.from({ length: 70 }, async (_, n) => ask(n)))
  for (const outcome of crowd) t.match(outcome, { status: 'rejected', reason: { statusCode: 503 } })
  t.ok(performance.now() - began < 2000)
  t.notOk(hasAnswered)
})

/** Holds up the event loop, as a crowd of searches holds up each other. */
const work = (milliseconds: number) => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

t.test('the time of a search begins with its turn, and one that has waited for too long never begins', async t => {
  const search = new Search(async function* () {})
  const begun: string[] = []
  const ask = (name: string, run: () => unknown) =>
    search.inTurn(async () => {
      begun.push(name)
      // So that all are asked before the first one works.
      await undefined
      await run()
    })
  await Promise.all([ask('first', () => work(200)), ask('second', () => sleep(200))])
  const late = [ask('third', () => work(200)), ask('fourth', () => work(200)), ask('late', () => undefined)]
  t.match(await Promise.allSettled(late), [{ status: 'fulfilled' }, { status: 'fulfilled' }, { reason: { statusCode: 503 } }])
  await search.inTurn(() => undefined)
  t.strictSame(begun, ['first', 'second', 'third', 'fourth'])
})

t.test('a result from before the words of a change were read is not kept', async t => {
  const app = await buildWith(t, { contents: [content(1, { name: 'Before' })] })
  const { data } = app
  const catalogue = new Catalogue({ data, readContents: data.contents.byIds, cacheBytes: 100_000 })
  const catchUp = async () => {
    await catalogue.refresh()
    await catalogue.search.catchUp(catalogue.skeleton)
  }
  await catchUp()
  const totalOf = async (search: string) => {
    const { bytes } = await contentsAnswer(catalogue, { search, order_direction: 'DESC', page: 1, perPage: 20 }, everybody)
    return JSON.parse(bytes.toString()).data.meta.total_count
  }
  await change(app, 'contents', 1, { name: 'After', words: { names: ['after'], keywords: [], description: [] } })
  await catalogue.refresh()
  t.equal(await totalOf('before'), 1)
  await catchUp()
  t.equal(await totalOf('before'), 0)
  t.equal(await totalOf('after'), 1)
})

const long = new Date('2020-01-01T00:00:00Z')
const demo = (await demoContents(new Date())).map(({ id, ...given }) =>
  content(id, {
    ...(given as unknown as Partial<ContentDocument>),
    ...{ start_date: long, end_date: null, created_at: long, updated_at: long, deleted_at: null, markers: null }
  })
)

t.test('ten people find on the demo catalogue what they meant, typed on a phone', async t => {
  const terms = parseLinesAt(new Date())(await staticText('terms.ndjson')).map(({ id, ...given }: { id: number }) =>
    term(id, { ...given, created_at: long, updated_at: long })
  )
  const app = await buildWith(t, { contents: demo, terms })
  const people: [string, number][][] = [
    [
      ['midnigt marathn', 1002],
      ['yoga clmbers', 1046],
      ['habrour for winter', 1405]
    ],
    [
      ['oyster murdrs', 1156],
      ['otter stret', 1077],
      ['beekepers winter', 1115]
    ],
    [
      ['grandpas ski lift', 1673],
      ['cartografer', 1100],
      ['telegrafist', 1265]
    ],
    [
      ['windwrd', 1484],
      ['木漏れ', 1259],
      ['komorbi', 1259]
    ],
    [
      ['perihelon', 1270],
      ['tandm', 1187],
      ['guitr from zero', 1188]
    ],
    [
      ['snowmans lawyer', 1242],
      ['fohn', 1408],
      ['apres la pluie', 1422]
    ],
    [
      ['slowest way to lisbn', 1263],
      ['knife skils', 1301],
      ['avalanch', 1499]
    ],
    [
      ['turbo evenigns', 1316],
      ['salt and stilness', 1443],
      ['captin pip', 1596]
    ],
    [
      ['robot homesik', 1098],
      ['dingy summer', 1607],
      ['micorscope', 1658]
    ],
    [
      ['abvoe the fjord', 1012],
      ['libary ship', 1465],
      ['border trians', 1243]
    ]
  ]
  for (const [typed, id] of people.flat()) {
    const first = idsOf(await app.inject(`/contents?perPage=3&search=${encodeURIComponent(typed)}`))
    t.ok(first.includes(id), `${typed}: ${first}`)
  }
})

t.test('titles are found by their names, and in spite of a typo', async t => {
  const random = choicesFrom(3)
  const words = [...new Set(demo.flatMap(({ words }) => [...words.names, ...words.description]).filter(word => /^[a-z]{3,}$/.test(word)))]
  const text = (count: number) => Array.from({ length: count }, () => random.of(words)).join(' ')
  const documents = Array.from({ length: 3000 }, (_, n) =>
    content(n + 1, { name: text(2 + (n % 2)), keywords: text(4), description: { en: text(25) }, weight: random.below(1000) })
  )
  const { search, skeleton } = await indexOf(documents)
  const [exact, mistyped] = [
    { asked: 0, found: 0 },
    { asked: 0, found: 0 }
  ]
  for (const { _id, name } of documents.slice(0, 300)) {
    exact.asked++
    if ((await found(search, name, skeleton))[0] === _id) exact.found++
  }
  while (mistyped.asked < 300) {
    const document = random.of(documents)
    const words = document.name.split(' ')
    const at = words.findIndex(word => word.length >= 5)
    const word = words[at]
    if (word === undefined) continue
    const place = 1 + random.below(word.length - 1)
    const [before, letter, after] = [word.slice(0, place), word.charAt(place), word.slice(place + 1)]
    const other = String.fromCharCode(97 + random.below(26))
    words[at] = random.of([
      `${before}${other}${after}`,
      `${before}${after}`,
      `${before}${other}${letter}${after}`,
      `${before}${after.charAt(0)}${letter}${after.slice(1)}`
    ])
    if (words[at] === word) continue
    mistyped.asked++
    if ((await found(search, words.join(' '), skeleton)).slice(0, 10).includes(document._id)) mistyped.found++
  }
  t.ok(exact.found >= 0.99 * exact.asked, `${exact.found} of ${exact.asked} titles come first`)
  t.ok(mistyped.found >= 0.95 * mistyped.asked, `${mistyped.found} of ${mistyped.asked} mistyped titles are among the first ten`)
})
