import t from 'tap'
import { isWithinAge, segmentOf } from '../../src/catalogue/audience.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { content } from '../helpers/documents.js'

const skeletonOf = (...contents: ReturnType<typeof content>[]) => {
  const skeleton = new Skeleton()
  for (const one of contents) skeleton.put(one)
  return skeleton
}

t.test('two skeletons are alike if they have the same contents in the same state', async t => {
  const [one, two] = [content(1), content(2)]
  t.ok(skeletonOf(one, two).isLike(skeletonOf(two, one)))
  t.notOk(skeletonOf(one, two).isLike(skeletonOf(one)), 'one content is missing')
  t.notOk(skeletonOf(one, two).isLike(skeletonOf(one, content(3, { stamp: two.stamp }))), 'a different content')
  t.notOk(skeletonOf(one).isLike(skeletonOf({ ...one, stamp: new Date(one.stamp.getTime() + 1) })), 'a content was written since')
})

t.test('a skeleton with values that no content has any more is unlike a new one', async t => {
  const old = skeletonOf(content(1, { type: 'old', stamp: new Date(1) }))
  old.put(content(1, { type: 'new', stamp: new Date(2) }))
  const anew = skeletonOf(content(1, { type: 'new', stamp: new Date(2) }))
  t.notOk(anew.isLike(old), 'a skeleton with values that are no longer used is replaced')
  t.ok(anew.isLike(skeletonOf(content(1, { type: 'new', stamp: new Date(2) }))))
})

t.test('values are shared', async t => {
  const skeleton = skeletonOf(
    content(1, { terms: [1, 2], countries_include: ['de'] }),
    content(2, { terms: [1, 2], countries_include: ['DE'] }),
    content(3, { terms: [], countries_include: [] }),
    content(4, { countries_include: null })
  )
  t.equal(skeleton.terms.get(0), skeleton.terms.get(1))
  t.equal(skeleton.include.get(0), skeleton.include.get(1))
  t.strictSame(
    [0, 1, 2, 3].map(row => skeleton.include.get(row)),
    [['DE'], ['DE'], [], null]
  )
  t.ok(skeleton.hasTerm(2))
  t.notOk(skeleton.hasTerm(3))
})

t.test('termSums adds up the weights of the terms of a row', async t => {
  const skeleton = skeletonOf(content(1, { terms: [1, 2] }), content(2, { terms: [2] }), content(3), content(4, { terms: [2, 3] }))
  const sumOf = skeleton.termSums([
    [1, 10],
    [2, 0.5],
    [9, 100]
  ])
  t.strictSame([0, 1, 2, 3].map(sumOf), [10.5, 0.5, 0, 0.5])
})

t.test('all countries that no content names are one segment', async t => {
  const skeleton = skeletonOf(content(1, { countries_include: ['de'] }), content(2, { countries_exclude: ['FR'] }))
  const segment = (country: string | undefined) => segmentOf(skeleton, { country, maxAge: undefined })
  t.strictSame(['DE', 'FR', undefined].map(segment), ['DE', 'FR', undefined])
  t.equal(segment('US'), segment('JP'))
  t.notMatch(segment('US'), /^[A-Z]{2}$/)
})

t.test('age limits are one segment if no content lies between them', async t => {
  const ages = [0, 6, 16].map((min_age, i) => content(i + 1, { min_age, countries_include: ['DE'] }))
  const skeleton = skeletonOf(...ages, content(4))
  const segment = (maxAge: number | undefined, country?: string) => segmentOf(skeleton, { country, maxAge })
  t.equal(segment(6), segment(15))
  t.equal(segment(16), segment(21))
  const all = [0, 6, 16, undefined].flatMap(maxAge => [segment(maxAge), segment(maxAge, 'DE'), segment(maxAge, 'FR')])
  t.equal(new Set(all).size, 12, 'all others differ')
  t.not(
    segmentOf(skeletonOf(content(1)), { country: undefined, maxAge: 21 }),
    undefined,
    'with a limit, contents without an age are left out'
  )
})

t.test('the age of a content is the highest of its own and those of its ancestors', async t => {
  const skeleton = skeletonOf(
    content(10, { min_age: 12 }),
    content(11, { parent_id: 10 }),
    content(12, { parent_id: 11 }),
    content(13, { parent_id: 11, min_age: 6 }),
    content(14, { parent_id: 11, min_age: 18 }),
    content(15, { parent_id: 99 }),
    content(16, { min_age: 0 }),
    content(17, { parent_id: 17 }),
    content(18, { parent_id: 99, min_age: 6 }),
    content(19, { parent_id: 14, min_age: 0 }),
    content(20),
    content(21, { parent_id: 20, min_age: 0 }),
    content(31, { parent_id: 32, min_age: 0 }),
    content(32, { parent_id: 31, min_age: 16 })
  )
  const suited = (maxAge: number | undefined) =>
    Array.from({ length: skeleton.size }, (_, row) => row)
      .filter(row => isWithinAge(skeleton, row, maxAge))
      .map(row => skeleton.idOf(row))
  t.strictSame(suited(undefined), [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 31, 32])
  t.strictSame(suited(0), [16, 21])
  t.strictSame(suited(11), [16, 18, 21], 'an age that is unknown counts for nothing')
  t.strictSame(suited(12), [10, 11, 12, 13, 16, 18, 21])
  t.strictSame(suited(21), [10, 11, 12, 13, 14, 16, 18, 19, 21, 31, 32], 'no known age is above every limit')
  t.notOk(suited(15).includes(31), 'a circle of parents ends')
  skeleton.put(content(10, { min_age: 16, stamp: new Date(1) }))
  t.strictSame(suited(12), [16, 18, 21], 'a change of a show applies to its episodes')
  skeleton.put(content(10, { stamp: new Date(2) }))
  t.strictSame(suited(12), [13, 16, 18, 21], 'also back')
})

t.test('earlier ids', async t => {
  const [one, two] = [new Date(1), new Date(2)]

  t.test('lead to the last content of a chain', async t => {
    const skeleton = skeletonOf(content(9, { replaces: [7] }), content(7, { replaces: [5, 4] }), content(5), content(1))
    t.strictSame(
      [5, 4, 7, 9, 1, 2].map(id => skeleton.currentId(id)),
      [9, 9, 9, 9, 1, 2]
    )
    t.strictSame(skeleton.idsOf(5), [9, 7, 5], 'nobody can have an element of a content that never was')
    t.strictSame([skeleton.idsOf(1), skeleton.idsOf(2)], [[1], [2]])
    t.strictSame([...skeleton.replaced()], [[9, [7, 5, 4]]])
    t.equal(skeleton.currentRow(5), skeleton.row(9))
    t.equal(skeleton.currentRow(2), undefined)
  })

  t.test('are closed until they leave the list', async t => {
    const end = new Date('2090-01-01')
    const endOf = (skeleton: Skeleton, id: number) => skeleton.ends.get(skeleton.row(id) as number)
    const skeleton = skeletonOf(content(5, { end_date: end, stamp: one }), content(7, { replaces: [5], stamp: one }))
    t.equal(endOf(skeleton, 5), Number.NEGATIVE_INFINITY)
    skeleton.put(content(5, { end_date: new Date('2095-01-01'), stamp: two }))
    t.equal(endOf(skeleton, 5), Number.NEGATIVE_INFINITY, 'written again')
    skeleton.put(content(7, { replaces: null, stamp: two }))
    t.equal(endOf(skeleton, 5), Date.parse('2095-01-01'))
    t.equal(skeleton.currentId(5), 5)
    skeleton.put(content(7, { replaces: [5], stamp: one }))
    skeleton.markBroken(5)
    skeleton.put(content(7, { stamp: two }))
    t.equal(endOf(skeleton, 5), Number.NEGATIVE_INFINITY, 'and a hidden content stays hidden')
  })

  t.test('that go from one content to another lead to that one, whichever is read first', async t => {
    const from = [content(7, { replaces: [5], stamp: one }), content(8, { stamp: one })]
    const to = [content(7, { stamp: two }), content(8, { replaces: [5], stamp: two })]
    for (const changed of [to, to.toReversed()]) {
      const skeleton = skeletonOf(...from, ...changed)
      t.equal(skeleton.currentId(5), 8)
      t.strictSame(skeleton.idsOf(7), [7])
    }
  })

  t.test('that lead in a circle, which no import makes, lead somewhere', async t => {
    const skeleton = skeletonOf(content(1, { replaces: [2] }), content(2, { replaces: [3] }), content(3, { replaces: [1, 4] }), content(4))
    t.same(
      [1, 2, 3, 4].map(id => typeof skeleton.currentId(id)),
      Array(4).fill('number')
    )
    t.same(skeleton.idsOf(4).toSorted(), [1, 2, 3, 4])
  })

  t.test('do not count as changed when the content is written again', async t => {
    const skeleton = skeletonOf(content(7, { replaces: [5], stamp: one }))
    const { idsVersion } = skeleton
    skeleton.put(content(7, { replaces: [5], stamp: two, name: 'New' }))
    t.equal(skeleton.idsVersion, idsVersion)
    skeleton.put(content(7, { replaces: [5, 6], stamp: new Date(3) }))
    t.not(skeleton.idsVersion, idsVersion)
  })
})
