import t from 'tap'
import { Kept, keptBytes, ownText, sizeOfPlace } from '../../src/kept.js'
import { bytesInUse, collectGarbage } from '../memory.js'

/** What a value of one letter weighs with a key of one letter. */
const one = sizeOfPlace('a') + 1
const keptOf = (bound: number) => new Kept<string, string>(bound, ({ length }) => length)

t.test('what nobody asked for goes first', async t => {
  const kept = keptOf(4 * one)
  const known = (...keys: string[]) => keys.filter(key => kept.get(key) === key)
  for (const key of ['a', 'b', 'c', 'd']) kept.put(key, key)
  t.strictSame(known('a', 'c'), ['a', 'c'])
  kept.put('e', 'e')
  t.strictSame(known('a', 'b', 'c', 'd', 'e'), ['a', 'c', 'd', 'e'], 'the oldest of them')
  kept.put('f', 'f')
  t.strictSame(known('c', 'd', 'a', 'e', 'f').length, 4, 'the oldest, where all were asked for')
  t.equal(kept.get('f'), 'f', 'and never the new one')
  t.equal(kept.weight, 4 * one)
})

t.test('what is put anew weighs what it weighs now', async t => {
  const kept = keptOf(1000)
  kept.put('a', 'a long one')
  kept.put('a', 'short')
  t.equal(kept.weight, one + 4)
  kept.drop('a')
  kept.drop('a')
  t.equal(kept.weight, 0)
})

t.test('a value beyond the bound is not kept', async t => {
  const kept = keptOf(one + 3)
  kept.put('a', 'a')
  kept.put('b', 'too long')
  t.equal(kept.get('b'), undefined)
  t.equal(kept.get('a'), 'a', 'and takes the place of no other')
  kept.put('a', 'too long')
  t.equal(kept.get('a'), undefined, 'but what it was before holds no more')
  kept.put('c', 'c')
  kept.clear()
  t.equal(kept.get('c'), undefined)
  t.equal(kept.weight, 0)
})

t.test('a key weighs as much as it takes', async t => {
  const kept = keptOf(1_000_000)
  const long = 'k'.repeat(15_000)
  for (let i = 0; i < 1000; i++) kept.put(`${i} ${long}`, '')
  t.ok(kept.weight <= 1_000_000)
  t.equal(kept.get(`0 ${long}`), undefined, 'the first ones went')
  t.equal(kept.get(`999 ${long}`), '')
  kept.put('k'.repeat(500_000), '')
  t.equal(kept.get('k'.repeat(500_000)), undefined, 'one that is too long by itself is not kept')
})

t.test('the bytes of a process are those of all that it keeps', async t => {
  const before = keptBytes()
  const [first, second] = [keptOf(1000), keptOf(1000)]
  first.put('a', 'a')
  second.put('a', 'a')
  t.equal(keptBytes() - before, 2 * one)
  first.clear()
  t.equal(keptBytes() - before, one)
  second.clear()
})

t.test('what is gone is not counted', async t => {
  await collectGarbage()
  const before = keptBytes()
  const forget = () => {
    for (let i = 0; i < 10; i++) keptOf(1_000_000).put('a', 'a'.repeat(100_000))
  }
  forget()
  t.ok(keptBytes() > before + 1_000_000)
  await collectGarbage()
  t.ok(keptBytes() <= before)
})

t.test('an own text keeps nothing of the text that it was a part of', async t => {
  const header = (i: number) => Buffer.alloc(15_000, 'x').toString('latin1') + String(i).padStart(20, '0')
  const before = await bytesInUse()
  const texts = Array.from({ length: 1000 }, (_, i) => ownText(header(i).slice(-20)))
  t.ok((await bytesInUse()) - before < 1_000_000)
  t.equal(texts[7], header(7).slice(-20))
})
