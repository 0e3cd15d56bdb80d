import { unavailable } from '../../src/errors.js'
import { DeadlineQueue, InFlight, withDeadline } from '../../src/overload/deadlines.js'
import { FairSemaphore } from '../../src/overload/fair-semaphore.js'
import { Semaphore } from '../../src/overload/semaphore.js'
import { until } from '../helpers/until.js'
import '../helpers/warnings.js'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'

t.test('DeadlineQueue', async t => {
  const queueOf = (timeout: number) => new DeadlineQueue(new Semaphore(1), new InFlight(10, timeout))

  t.test('a stream that comes in time is passed on as it is', async t => {
    const stream = Readable.from(['text'])
    t.equal(await queueOf(500).run(async () => stream, 0), stream)
    t.notOk(stream.destroyed)
  })

  t.test('a stream that comes after the deadline is destroyed, because nobody reads it', async t => {
    const stream = Readable.from(['text'])
    await t.rejects(
      queueOf(1).run(() => sleep(20, stream), 0),
      unavailable()
    )
    t.notOk(stream.destroyed)
    await until(() => stream.destroyed)
  })
})

t.test('deadlines', async t => {
  const never = new Promise(() => undefined)

  t.test('a promise that settles in time is passed on', async t => {
    t.equal(await withDeadline(Promise.resolve(7), 500), 7)
    await t.rejects(withDeadline(Promise.reject(new Error('failed')), 500), { message: 'failed' })
  })

  t.test('any other ends in a 503, at once if the time is already over', async t => {
    await t.rejects(withDeadline(never, 1), unavailable())
    await t.rejects(withDeadline(never, -4.7), unavailable())
  })
})

t.test('Semaphore', async t => {
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
})

t.test('FairSemaphore', async t => {
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
})

t.test('InFlight', async t => {
  t.test('an operation whose deadline has passed before it starts is given up at once', async t => {
    const inFlight = new InFlight(1, 500)
    await t.rejects(inFlight.within(new Promise(() => undefined), 504.7), unavailable())
    t.equal(inFlight.count, 1, 'it counts until it ends')
  })
})

t.test('turns', async t => {
  /** A semaphore whose jobs note that they began, with one job of the caller 0 running. */
  const noting = (permits: number, permitsOfOne = permits) => {
    const semaphore = new Semaphore(permits, permitsOfOne)
    const begun: string[] = []
    const ask = (name: string, caller?: number) => semaphore.acquire(() => begun.push(name), caller)
    semaphore.acquire(() => undefined, 0)
    return { semaphore, begun, ask }
  }

  t.test('a caller with many jobs delays the others by one job at most', async t => {
    const { semaphore, begun, ask } = noting(1)
    for (const n of [1, 2, 3]) ask(`many ${n}`, 1)
    ask('first', 2)
    ask('second', 3)
    semaphore.release(0)
    t.strictSame(begun, ['many 1'])
    ask('third', 4)
    for (const caller of [1, 2, 3, 1, 4, 1]) semaphore.release(caller)
    t.strictSame(begun, ['many 1', 'first', 'second', 'many 2', 'third', 'many 3'])
  })

  t.test('the jobs of one caller run in order, and so do those without a caller', async t => {
    const { semaphore, begun, ask } = noting(1)
    for (const n of [1, 2, 3]) ask(`${n}`)
    semaphore.release(0)
    for (const _ of [1, 2, 3]) semaphore.release()
    t.strictSame(begun, ['1', '2', '3'])
    ask('again')
    t.strictSame(begun, ['1', '2', '3', 'again'])
  })

  t.test('who is not ready keeps the place and the order of the jobs', async t => {
    const { semaphore, begun, ask } = noting(2, 1)
    for (const n of [0, 1, 2]) ask(`busy ${n}`, 1)
    ask('free', 2)
    semaphore.release(0)
    t.strictSame(begun, ['busy 0', 'free'])
    semaphore.release(2)
    t.strictSame(begun, ['busy 0', 'free'], 'nobody is ready')
    for (const _ of [1, 2]) semaphore.release(1)
    t.strictSame(begun, ['busy 0', 'free', 'busy 1', 'busy 2'])
  })
})
