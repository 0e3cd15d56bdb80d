import t from 'tap'
import { varied } from '../../../src/recommendations/serving/varied.js'

const because = (because: number, count: number, from: number) => Array.from({ length: count }, (_, i) => ({ title: from + i, because }))
const popular = (count: number, from: number) => Array.from({ length: count }, (_, i) => ({ title: from + i }))
const titles = (list: { title: number }[]) => list.map(({ title }) => title)

t.test('the order stays where no reason is too frequent', async t => {
  const candidates = [...because(1, 4, 1), ...because(2, 4, 11), ...popular(9, 21)]
  t.strictSame(titles(varied(candidates, 17)), titles(candidates))
})

t.test('of ten neighbours, four have the same reason', async t => {
  t.strictSame(
    titles(varied([...because(1, 9, 1), ...because(2, 9, 11), ...popular(9, 21)], 14)),
    [1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 5, 6, 7, 8],
    'a delayed title comes as soon as it may'
  )
})

t.test('it takes no more candidates than it needs', async t => {
  const endless = function* () {
    for (let title = 1; ; title++) yield { title, ...(title < 20 && { because: 1 }) }
  }
  t.strictSame(titles(varied(endless(), 12)), [1, 2, 3, 4, 20, 21, 22, 23, 24, 25, 5, 6])
  t.strictSame(varied(endless(), 0), [])
})

t.test('the list is shorter where nothing else is left', async t => {
  t.strictSame(titles(varied(because(1, 9, 1), 9)), [1, 2, 3, 4])
  t.strictSame(titles(varied([...because(1, 6, 1), ...popular(6, 11)], 20)), [1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 5, 6])
  t.strictSame(varied([], 5), [])
})
