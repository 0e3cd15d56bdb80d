import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { everybody } from '../../src/catalogue/audience.js'
import { jsonAnswer } from '../../src/catalogue/bytes.js'
import { Catalogue } from '../../src/catalogue/catalogue.js'
import { contentsAnswer } from '../../src/catalogue/contents.js'
import { Search } from '../../src/catalogue/search.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { prefixesFor, WordIndex } from '../../src/catalogue/words.js'
import { buildWith } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { content } from '../helpers/documents.js'

const wanted = (...words: string[]) => words.map(word => [word])

t.test('the index of words', async t => {
  const index = new WordIndex()
  index.put({ id: 7, stamp: 1 }, ['long', 'ridge'])
  index.put({ id: 8, stamp: 1 }, ['long', 'lane'])

  t.test('finds contents with all words, or with words that begin with them', async t => {
    t.strictSame(index.idsWith(wanted('long')), [7, 8])
    t.strictSame(index.idsWith(wanted('l')), [7, 8])
    t.strictSame(index.idsWith(wanted('lo', 'la')), [8])
    t.strictSame(index.idsWith(wanted('long', 'x')), [])
    t.strictSame(index.idsWith(wanted('ong')), [])
    t.strictSame(index.idsWith([['x', 'rid']]), [7], 'any of several beginnings matches')
  })

  t.test('forgets the earlier words of a content', async t => {
    index.put({ id: 7, stamp: 2 }, ['short', 'ridge'])
    t.strictSame(index.idsWith(wanted('long')), [8])
    t.strictSame(index.idsWith(wanted('short')), [7])
    t.ok(index.has({ id: 7, stamp: 2 }))
    t.notOk(index.has({ id: 7, stamp: 1 }))
    t.notOk(index.has({ id: 9, stamp: 1 }))
  })

  t.test('stays right, and as small, over thousands of changes', async t => {
    for (let n = 0; n < 5000; n++) index.put({ id: 7 + (n % 2), stamp: 10 + n }, [`word${n}`, 'always'])
    t.strictSame(index.idsWith(wanted('always')).sort(), [7, 8])
    t.strictSame(index.idsWith(wanted('word4999')), [8])
    t.strictSame(index.idsWith(wanted('word4997')), [])
    t.strictSame(index.idsWith(wanted('ridge')), [])
    t.strictSame(index.idsWith(wanted('r')), [])
    t.strictSame(index.idsWith(wanted('w', 'a')).sort(), [7, 8], 'a single letter matches')
  })
})

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
  const skeleton = new Skeleton()
  for (const document of documents.values()) skeleton.put(document)
  const early = search.idsWith(prefixesFor('name2'))
  await search.catchUp(skeleton)
  t.strictSame(await early, [2], 'a search that comes before the words are read waits')
  await search.catchUp(skeleton)

  const changed = content(2, { name: 'other', stamp: new Date(Date.now() + 1000) })
  documents.set(2, changed)
  skeleton.put(changed)
  await search.catchUp(skeleton)
  t.strictSame(await search.idsWith(prefixesFor('name')), [1, 3])
  t.strictSame(await search.idsWith(prefixesFor('other')), [2])

  // One document was removed by hand, another has no list of words.
  skeleton.put({ ...changed, stamp: new Date(Date.now() + 2000) })
  documents.delete(2)
  documents.set(4, { ...content(4), words: null as unknown as string[] })
  documents.set(5, { ...content(5), words: [5, 'five'] as string[] })
  skeleton.put(content(4))
  skeleton.put(content(5))
  await search.catchUp(skeleton)
  await search.catchUp(skeleton)
  t.strictSame(await search.idsWith(prefixesFor('other')), [])
  t.strictSame(await search.idsWith(prefixesFor('five')), [5])
  t.strictSame(read, [[1, 2, 3], [2], [2, 4, 5]])

  for (let id = 10; id < 1100; id++) skeleton.put(content(id))
  await search.catchUp(skeleton)
  t.equal(read.at(-1), undefined, 'after many changes, everything is read again')
})

t.test('few searches wait, and none for long', async t => {
  let hasAnswered = false
  const read = async () => {
    await sleep(5000, undefined, { ref: false })
    hasAnswered = true
    return []
  }
  const app = await buildWith(t, { contents: [content(1)] })
  const catalogue = new Catalogue({ data: app.data, readContents: read, cacheBytes: 1000 })
  await catalogue.refresh()
  const ask = (n: number) => catalogue.searchAnswer(`search ${n}`, () => catalogue.fragments.of([1]).then(() => jsonAnswer([])))
  const began = performance.now()
  const crowd = await Promise.allSettled(Array.from({ length: 70 }, async (_, n) => ask(n)))
  for (const outcome of crowd) t.match(outcome, { status: 'rejected', reason: { statusCode: 503 } })
  t.ok(performance.now() - began < 2000)
  t.notOk(hasAnswered)
})

t.test('a result from before the words of a change were read is not kept', async t => {
  const app = await buildWith(t, { contents: [content(1, { name: 'Before' })] })
  const { data } = app
  const catalogue = new Catalogue({ data, readContents: data.contents.byIds, cacheBytes: 100_000 })
  await catalogue.catchUp()
  const found = async (search: string) => {
    const { bytes } = await contentsAnswer(catalogue, { search, order_direction: 'DESC', page: 1, perPage: 20 }, everybody)
    return JSON.parse(bytes.toString()).data.meta.total_count
  }
  await change(app, 'contents', 1, { name: 'After', words: ['after'] })
  await catalogue.refresh()
  t.equal(await found('before'), 1)
  await catalogue.catchUp()
  t.equal(await found('before'), 0)
  t.equal(await found('after'), 1)
})
