import t from 'tap'
import { Cache, copyText, entrySize, trackedBytes } from '../src/cache.js'
import { bytesInUse, collectGarbage } from './helpers/memory.js'

/** What a value of one letter weighs with a key of one letter. */
const one = entrySize('a') + 1
const cacheOf = (bound: number) => new Cache<string, string>(bound, ({ length }) => length)

t.test('entries that were not read are dropped first', async t => {
  const cache = cacheOf(4 * one)
  const known = (...keys: string[]) => keys.filter(key => cache.get(key) === key)
  for (const key of ['a', 'b', 'c', 'd']) cache.put(key, key)
  t.strictSame(known('a', 'c'), ['a', 'c'])
  cache.put('e', 'e')
  t.strictSame(known('a', 'b', 'c', 'd', 'e'), ['a', 'c', 'd', 'e'], 'the oldest unread entry is dropped')
  cache.put('f', 'f')
  t.strictSame(known('a', 'c', 'd', 'e', 'f'), ['a', 'd', 'e', 'f'], 'the oldest entry is dropped if all were read')
  t.equal(cache.weight, 4 * one)
})

t.test('a replaced value counts with its new weight', async t => {
  const cache = cacheOf(1000)
  cache.put('a', 'a long one')
  cache.put('a', 'short')
  t.equal(cache.weight, one + 4)
  cache.drop('a')
  cache.drop('a')
  t.equal(cache.weight, 0)
})

t.test('a value beyond the bound is not kept', async t => {
  const cache = cacheOf(one + 3)
  cache.put('a', 'a')
  cache.put('b', 'too long')
  t.equal(cache.get('b'), undefined)
  t.equal(cache.get('a'), 'a', 'it displaces no other entry')
  cache.put('a', 'too long')
  t.equal(cache.get('a'), undefined, 'its former value is gone as well')
  cache.put('c', 'c')
  cache.clear()
  t.equal(cache.get('c'), undefined)
  t.equal(cache.weight, 0)
})

t.test('a key counts with the memory that it takes', async t => {
  const cache = cacheOf(1_000_000)
  const long = 'k'.repeat(15_000)
  for (let i = 0; i < 1000; i++) cache.put(`${i} ${long}`, '')
  t.ok(cache.weight <= 1_000_000)
  t.equal(cache.get(`0 ${long}`), undefined, 'the first entries were dropped')
  t.equal(cache.get(`999 ${long}`), '')
  cache.put('k'.repeat(500_000), '')
  t.equal(cache.get('k'.repeat(500_000)), undefined, 'a value that is too long by itself is not stored')
})

t.test('the tracked bytes of a process are the sum over its caches', async t => {
  const before = trackedBytes()
  const [first, second] = [cacheOf(1000), cacheOf(1000)]
  first.put('a', 'a')
  second.put('a', 'a')
  t.equal(trackedBytes() - before, 2 * one)
  first.clear()
  t.equal(trackedBytes() - before, one)
  second.clear()
})

t.test('a cache that was garbage-collected is not counted', async t => {
  await collectGarbage()
  const before = trackedBytes()
  const forget = () => {
    for (let i = 0; i < 10; i++) cacheOf(1_000_000).put('a', 'a'.repeat(100_000))
  }
  forget()
  t.ok(trackedBytes() > before + 1_000_000)
  await collectGarbage()
  t.ok(trackedBytes() <= before)
})

t.test('a copied text does not keep the text that it was part of in memory', async t => {
  const header = (i: number) => Buffer.alloc(15_000, 'x').toString('latin1') + String(i).padStart(20, '0')
  const before = await bytesInUse()
  const texts = Array.from({ length: 1000 }, (_, i) => copyText(header(i).slice(-20)))
  t.ok((await bytesInUse()) - before < 1_000_000)
  t.equal(texts[7], header(7).slice(-20))
})
