import t from 'tap'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { content } from '../helpers/documents.js'

const skeletonOf = (...contents: ReturnType<typeof content>[]) => {
  const skeleton = new Skeleton()
  for (const one of contents) skeleton.put(one)
  return skeleton
}

t.test('two are like each other when they know the same contents in the same state', async t => {
  const [one, two] = [content(1), content(2)]
  t.ok(skeletonOf(one, two).isLike(skeletonOf(two, one)))
  t.notOk(skeletonOf(one, two).isLike(skeletonOf(one)), 'one is missing')
  t.notOk(skeletonOf(one, two).isLike(skeletonOf(one, content(3, { stamp: two.stamp }))), 'another one')
  t.notOk(skeletonOf(one).isLike(skeletonOf({ ...one, stamp: new Date(one.stamp.getTime() + 1) })), 'written since')
})

t.test('values that no content has any more make it unlike a new one', async t => {
  const old = skeletonOf(content(1, { type: 'old', stamp: new Date(1) }))
  old.put(content(1, { type: 'new', stamp: new Date(2) }))
  const anew = skeletonOf(content(1, { type: 'new', stamp: new Date(2) }))
  t.notOk(anew.isLike(old), 'so that the old one, which only grows, is replaced')
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

t.test('the terms of a row add up', async t => {
  const skeleton = skeletonOf(content(1, { terms: [1, 2] }), content(2, { terms: [2] }), content(3), content(4, { terms: [2, 3] }))
  const sumOf = skeleton.termSums([
    [1, 10],
    [2, 0.5],
    [9, 100]
  ])
  t.strictSame([0, 1, 2, 3].map(sumOf), [10.5, 0.5, 0, 0.5])
})

t.test('countries that no content names are one region', async t => {
  const skeleton = skeletonOf(content(1, { countries_include: ['de'] }), content(2, { countries_exclude: ['FR'] }))
  t.strictSame(
    ['DE', 'FR', undefined].map(country => skeleton.region(country)),
    ['DE', 'FR', undefined]
  )
  t.equal(skeleton.region('US'), skeleton.region('JP'))
  t.notMatch(skeleton.region('US'), /^[A-Z]{2}$/)
})
