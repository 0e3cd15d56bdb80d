import t from 'tap'
import { FairSemaphore } from '../../src/overload/fair-semaphore.js'
import { until } from '../helpers/until.js'

/** Jobs that end when they are told to, and the order in which they began. */
const jobsOf = (semaphore: FairSemaphore) => {
  const begun: string[] = []
  const refused: string[] = []
  const ends = new Map<string, () => void>()
  const settled = () => new Promise(setImmediate)
  return {
    begun,
    refused,
    settled,
    ask: (name: string, address: string, account = name, timeout = 60_000) => {
      const job = () => {
        begun.push(name)
        return new Promise<void>(resolve => ends.set(name, resolve))
      }
      semaphore.run({ address, account, deadline: performance.now() + timeout }, job).catch(error => {
        t.equal(error.statusCode, 429)
        refused.push(name)
      })
    },
    end: async (name: string) => {
      ends.get(name)?.()
      await settled()
    },
    /** Ends whatever runs until nothing does. */
    drain: async () => {
      for (let i = 0; i < begun.length; i++) {
        ends.get(begun[i] as string)?.()
        await settled()
      }
    }
  }
}

const times = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

t.test('one caller alone has all places', async t => {
  const { ask, begun, refused, drain, settled } = jobsOf(new FairSemaphore(2, () => 3))
  for (const i of times(6)) ask(`a${i}`, 'a')
  await settled()
  t.strictSame(begun, ['a1', 'a2'])
  t.strictSame(refused, ['a6'])
  await drain()
  t.strictSame(begun, ['a1', 'a2', 'a3', 'a4', 'a5'])
})

t.test('if nobody may wait, a caller without a free place is refused', async t => {
  const { ask, begun, refused, settled } = jobsOf(new FairSemaphore(1, () => 0))
  ask('a1', 'a')
  ask('b1', 'b')
  await settled()
  t.strictSame([begun, refused], [['a1'], ['b1']])
})

t.test('addresses take turns', async t => {
  const { ask, begun, drain, settled } = jobsOf(new FairSemaphore(1, () => 10))
  for (const i of times(4)) ask(`a${i}`, 'a')
  for (const i of times(2)) ask(`b${i}`, 'b')
  ask('c1', 'c')
  await settled()
  await drain()
  t.ok(begun.indexOf('b1') < begun.indexOf('a3'), begun.join(' '))
  t.ok(begun.indexOf('c1') < begun.indexOf('a3'))
  t.ok(begun.indexOf('b2') < begun.indexOf('a4'))
  t.equal(begun.length, 7)
})

t.test('a crowd from one address makes room for others', async t => {
  const semaphore = new FairSemaphore(1, () => 3)
  const { ask, begun, refused, drain, settled } = jobsOf(semaphore)
  for (const i of times(4)) ask(`a${i}`, 'a')
  semaphore.assertRoom({ address: 'b', account: 'b', deadline: 0 })
  ask('b1', 'b')
  ask('c1', 'c')
  await settled()
  t.strictSame(refused, ['a4', 'a3'], 'the last ones that wait are refused')
  t.throws(() => semaphore.assertRoom({ address: 'a', account: 'a5', deadline: 0 }), { message: 'Too many requests, try again later' })
  ask('a5', 'a')
  await settled()
  t.strictSame(refused, ['a4', 'a3', 'a5'])
  await drain()
  t.strictSame([...begun].sort(), ['a1', 'a2', 'b1', 'c1'])
})

t.test('a crowd for one account from many addresses lets others pass', async t => {
  const { ask, begun, refused, drain, settled } = jobsOf(new FairSemaphore(1, () => 4))
  for (const i of times(5)) ask(`x${i}`, `address ${i}`, 'x')
  ask('y1', 'b', 'y')
  await settled()
  t.strictSame(refused, ['x5'])
  await drain()
  t.ok(begun.indexOf('y1') <= 2, begun.join(' '))
})

t.test('a crowd from one address for an account leaves its owner elsewhere alone', async t => {
  const { ask, begun, drain, settled } = jobsOf(new FairSemaphore(1, () => 10))
  for (const i of times(11)) ask(`x${i}`, 'attacker', 'x')
  ask('owner', 'home', 'x')
  await settled()
  await drain()
  t.ok(begun.indexOf('owner') <= 2, begun.join(' '))
})

t.test('nobody waits for ever, however many come', async t => {
  const { ask, begun, refused, end, drain, settled } = jobsOf(new FairSemaphore(1, () => 4))
  ask('first', 'a')
  ask('second', 'a')
  await settled()
  for (const i of times(40)) {
    ask(`new ${i}`, `address ${i}`)
    ask(`more ${i}`, `another ${i}`)
    await end(begun.at(-1) as string)
  }
  await drain()
  t.notOk(refused.includes('second'))
  t.ok(begun.indexOf('second') > 0 && begun.indexOf('second') < 6, begun.slice(0, 10).join(', '))
})

t.test('a job whose turn does not come in time is refused', async t => {
  const { ask, begun, refused, drain, settled } = jobsOf(new FairSemaphore(1, () => 4))
  ask('a1', 'a', 'a1', 0)
  ask('b1', 'b')
  ask('c1', 'c', 'c1', 20)
  ask('d1', 'd')
  await until(() => refused.length > 0)
  ask('e1', 'e', 'e1', -5)
  await until(() => refused.length > 1)
  t.strictSame([begun, refused], [['a1'], ['c1', 'e1']])
  await settled()
  await drain()
  t.strictSame(begun, ['a1', 'b1', 'd1'], 'the others keep their places')
})

t.test('a job that fails passes its turn on', async t => {
  const semaphore = new FairSemaphore(1, () => 1)
  const caller = { address: 'a', account: 'a', deadline: performance.now() + 60_000 }
  const failing = semaphore.run(caller, async () => {
    throw new Error('no luck')
  })
  const next = semaphore.run(caller, async () => 'done')
  await t.rejects(failing, { message: 'no luck' })
  t.equal(await next, 'done')
})
