import { test } from 'tap'
import { Rate } from '../../src/rate.js'

test('requests within the limit pass, the others wait for the end of the window', async t => {
  const rate = new Rate<string>(60_000, 10)
  t.strictSame([rate.count('a', 2, 1000), rate.count('a', 2, 2000)], [0, 0])
  t.equal(rate.count('a', 2, 3000), 58_000)
  t.equal(rate.count('b', 2, 3000), 0, 'each caller by itself')
  t.equal(rate.count('a', 2, 61_000), 0, 'a window of its own begins with the next request')
  t.equal(rate.count('a', 2, 62_000), 0)
  t.equal(rate.count('a', 2, 120_999), 1, 'and ends as long after it')
})

test('the caller whose window began first is forgotten first', async t => {
  const rate = new Rate<number>(60_000, 2)
  rate.count(1, 1, 0)
  rate.count(2, 1, 1)
  t.equal(rate.count(1, 1, 2), 59_998)
  rate.count(3, 1, 3)
  t.equal(rate.count(2, 1, 4), 59_997, 'still counted')
  t.equal(rate.count(1, 1, 5), 0, 'forgotten')
})
