import t from 'tap'
import { Semaphore } from '../../src/overload/semaphore.js'

t.test('as many jobs run at once as may, and the next begins when one ends', async t => {
  const semaphore = new Semaphore(1)
  const ends: (() => void)[] = []
  const job = () => new Promise<void>(resolve => ends.push(resolve))
  const [first, second] = [semaphore.run(job), semaphore.run(job)]
  await new Promise(setImmediate)
  t.equal(ends.length, 1)
  ends[0]?.()
  await first
  t.equal(ends.length, 2, 'the next task begins')
  ends[1]?.()
  await second
})

t.test('callers take turns', async t => {
  const semaphore = new Semaphore(1)
  const begun: string[] = []
  const ask = (name: string, caller: number) => semaphore.acquire(() => begun.push(name), caller)
  for (const n of [1, 2, 3]) ask(`many ${n}`, 1)
  ask('one', 2)
  for (const caller of [1, 1, 2]) semaphore.release(caller)
  t.strictSame(begun, ['many 1', 'many 2', 'one', 'many 3'])
})

t.test('one caller gets a part of the permits, the rest is for others', async t => {
  const semaphore = new Semaphore(3, 2)
  const begun: string[] = []
  const ask = (name: string, caller: number) => semaphore.acquire(() => begun.push(name), caller)
  for (const n of [1, 2, 3, 4]) ask(`many ${n}`, 1)
  t.strictSame(begun, ['many 1', 'many 2'])
  ask('one', 2)
  t.strictSame(begun, ['many 1', 'many 2', 'one'], 'the first ones begin at once')
  ask('two', 3)
  semaphore.release(2)
  t.equal(begun.at(-1), 'two')
  semaphore.release(1)
  t.equal(begun.at(-1), 'many 3')
  semaphore.release(3)
  t.equal(begun.at(-1), 'many 3', 'the longest waiting one is next')
  semaphore.release(1)
  t.equal(begun.at(-1), 'many 4')
})
