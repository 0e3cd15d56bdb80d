import { test } from 'tap'
import { entrySize } from '../../src/memory.js'
import { RateLimit } from '../../src/overload/rate-limit.js'
import { bytesInUse } from '../helpers/memory.js'

test('requests within the limit pass, the others wait for the end of the window', async t => {
  const limit = new RateLimit<string>(60_000, 10_000)
  t.strictSame([limit.count('a', 2, 1000), limit.count('a', 2, 2000)], [0, 0])
  t.equal(limit.count('a', 2, 3000), 58_000)
  t.equal(limit.count('b', 2, 3000), 0, 'each caller has a separate count')
  t.equal(limit.count('a', 2, 61_000), 0, 'the next request begins a new window')
  t.equal(limit.count('a', 2, 62_000), 0)
  t.equal(limit.count('a', 2, 120_999), 1, 'which is as long as the first')
})

test('the caller whose window began first is forgotten first', async t => {
  const limit = new RateLimit<number>(60_000, 2 * entrySize(1))
  limit.count(1, 1, 0)
  limit.count(2, 1, 1)
  t.equal(limit.count(1, 1, 2), 59_998)
  limit.count(3, 1, 3)
  t.equal(limit.count(2, 1, 4), 59_997, 'the newer one is still counted')
  t.equal(limit.count(1, 1, 5), 0, 'the older one is forgotten')
  t.equal(limit.weight, 2 * entrySize(1))
  limit.count(1, 1, 60_006)
  t.equal(limit.weight, 2 * entrySize(1), 'a replaced window does not add to the weight')
})

test('a caller counts with the length of its name', async t => {
  const limit = new RateLimit<string>(60_000, 1_000_000)
  const long = 'x'.repeat(10_000)
  for (let i = 0; i < 1000; i++) limit.count(`${i} ${long}`, 1, i)
  t.ok(limit.weight > 900_000 && limit.weight <= 1_000_000)
  t.equal(limit.count(`999 ${long}`, 1, 1000), 59_999, 'the last callers are counted')
  t.equal(limit.count(`0 ${long}`, 1, 1000), 0, 'the first callers are forgotten')
})

test('a caller whose name is part of a long header keeps none of it', async t => {
  const limit = new RateLimit<string>(60_000, 1_000_000)
  const before = await bytesInUse()
  for (let i = 0; i < 1000; i++) limit.count(`${'x'.repeat(15_000)}${Buffer.from(String(i).padStart(20, '0'))}`.slice(-20), 1)
  t.ok((await bytesInUse()) - before < 1_000_000)
  t.ok(limit.count('7'.padStart(20, '0'), 1) > 0, 'the new one is counted')
})
