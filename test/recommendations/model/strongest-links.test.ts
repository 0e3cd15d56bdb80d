import t from 'tap'
import { type Blend, historyOf, randomFrom, StrongestLinks } from '../../../src/recommendations/model/index.js'
import { blendOf, sorted } from '../../../src/recommendations/model/neighbours.js'
import { history, links, rowsOf, twoSided } from './helper.js'

t.test('the strongest link is that of the element that adds most to the score of an item', async t => {
  const strongest = new StrongestLinks(links)
  t.equal(strongest.of(history([0, 1]), 2), 1)
  t.equal(strongest.of(history([0, 1], [1, 0.1]), 2), 0)
  t.equal(strongest.of(history([2, 0, 4]), 3), 1)
  t.equal(strongest.of(history([0, 4, 0, 4]), 3), 0, 'the oldest of equally strong ones')
  t.equal(strongest.of(history([2, 3]), 3), -1, 'none if all weights are negative')
  t.equal(strongest.of(history([4]), 4), -1)
  t.equal(strongest.of(history([1], [0]), 2), -1, 'an item without interest does not count')
})

t.test('what comes next and what is liked are added up', async t => {
  const strongest = new StrongestLinks(twoSided)
  const watched = historyOf([0, 1], { next: 1, liked: Number.POSITIVE_INFINITY })
  t.equal(strongest.of(watched, 3), 0)
  t.equal(strongest.of(watched, 2), 1)
})

const titles = 20

/** Few different weights, so that many are equal. */
const neighboursOf = (random: () => number) => {
  const pick = (count: number) => Math.floor(random() * count)
  const row = () => [...new Set(Array.from({ length: 8 }, () => pick(titles)))].map((target): [number, number] => [target, pick(4) - 1])
  return sorted(rowsOf(...Array.from({ length: titles }, row)))
}

const strengthOf = ({ starts, targets, first, second }: Blend, item: number, target: number, next: number, liked: number) => {
  const place = targets.indexOf(target, starts[item])
  return place < 0 || place >= (starts[item + 1] as number) ? 0 : next * (first[place] as number) + liked * (second[place] as number)
}

t.test('no stronger link is missed', async t => {
  const failures: string[] = []
  for (let round = 1; round <= 200; round++) {
    const random = randomFrom(round)
    const blend = blendOf(neighboursOf(random), neighboursOf(random))
    const strongest = new StrongestLinks(blend)
    const items = Array.from({ length: 10 }, () => Math.floor(random() * titles))
    const watched = historyOf(items, { next: 1 + random(), liked: round % 2 ? Number.POSITIVE_INFINITY : 5 })
    for (let target = 0; target < titles; target++) {
      const strengths = items.map((item, at) => strengthOf(blend, item, target, watched.next[at] as number, watched.liked[at] as number))
      const most = Math.max(...strengths)
      const expected = most > 0 ? strengths.indexOf(most) : -1
      const found = strongest.of(watched, target)
      if (found !== expected) failures.push(`round ${round}, title ${target}: ${found} instead of ${expected}`)
    }
  }
  t.strictSame(failures, [])
})
