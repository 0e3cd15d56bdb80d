import t from 'tap'
import { Kept } from '../../src/kept.js'

const keptOf = (bound: number) => new Kept<string, string>(bound, value => value.length)

t.test('what nobody asked for goes first', async t => {
  const kept = keptOf(4)
  const known = (...keys: string[]) => keys.filter(key => kept.get(key) === key)
  for (const key of ['a', 'b', 'c', 'd']) kept.put(key, key)
  t.strictSame(known('a', 'c'), ['a', 'c'])
  kept.put('e', 'e')
  t.strictSame(known('a', 'b', 'c', 'd', 'e'), ['a', 'c', 'd', 'e'], 'the oldest of them')
  kept.put('f', 'f')
  t.strictSame(known('c', 'd', 'a', 'e', 'f').length, 4, 'the oldest, where all were asked for')
  t.equal(kept.get('f'), 'f', 'and never the new one')
  t.equal(kept.weight, 4)
})

t.test('what is put anew weighs what it weighs now', async t => {
  const kept = keptOf(10)
  kept.put('a', 'a long one')
  kept.put('a', 'short')
  t.equal(kept.weight, 5)
  kept.drop('a')
  kept.drop('a')
  t.equal(kept.weight, 0)
})

t.test('a value beyond the bound is not kept', async t => {
  const kept = keptOf(4)
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
