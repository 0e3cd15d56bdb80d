import t from 'tap'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { content } from '../catalogue-data.js'

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
