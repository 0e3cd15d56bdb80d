import t from 'tap'
import { Catalogue } from '../../src/catalogue/catalogue.js'
import { buildWith } from '../helpers/app.js'
import { content } from '../helpers/documents.js'
import { moveClock } from './helper.js'

t.test('a catalogue that takes longer than a minute to read is served meanwhile and afterwards', async t => {
  const { data } = await buildWith(t, { contents: [content(1), content(2), content(3)] })
  /** Each document takes 40 s to arrive. */
  const slowly = async function* <T>(documents: AsyncIterable<T>) {
    for await (const document of documents) {
      moveClock(t, 40_000)
      yield document
    }
  }
  const contents = {
    ...data.contents,
    forSkeleton: (since?: Date) => slowly(data.contents.forSkeleton(since)),
    words: (ids?: number[]) => slowly(data.contents.words(ids))
  }
  const readContents = data.contents.byIds
  const catalogue = new Catalogue({ data: { ...data, contents } as unknown as typeof data, readContents, cacheBytes: 1000 })
  t.throws(() => catalogue.assertFresh(), 'nothing has been read yet')
  await catalogue.refresh()
  catalogue.assertFresh()
  await catalogue.search.catchUp(catalogue.skeleton)
  catalogue.assertFresh()
  moveClock(t, 61_000)
  t.throws(() => catalogue.assertFresh(), 'the database has not responded for a minute')
})
