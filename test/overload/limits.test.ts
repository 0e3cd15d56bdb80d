import t from 'tap'
import { entrySize } from '../../src/cache.js'
import { unavailable } from '../../src/errors.js'
import { Outage } from '../../src/overload/outage.js'
import { Pacer } from '../../src/overload/pacer.js'
import { RateLimit } from '../../src/overload/rate-limit.js'
import { turnsDuring } from '../helpers/event-loop.js'
import { bytesInUse } from '../helpers/memory.js'
import { until } from '../helpers/until.js'

t.test('the rate limit', async t => {
  t.test('requests within the limit pass, the others wait for the end of the window', async t => {
    const limit = new RateLimit<string>(60_000, 10_000)
    t.strictSame([limit.count('a', 2, 1000), limit.count('a', 2, 2000)], [0, 0])
    t.equal(limit.count('a', 2, 3000), 58_000)
    t.equal(limit.count('b', 2, 3000), 0, 'each caller has a separate count')
    t.equal(limit.count('a', 2, 61_000), 0, 'the next request begins a new window')
    t.equal(limit.count('a', 2, 62_000), 0)
    t.equal(limit.count('a', 2, 120_999), 1, 'which is as long as the first')
  })

  t.test('the caller whose window began first is forgotten first', async t => {
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

  t.test('a caller counts with the length of its name', async t => {
    const limit = new RateLimit<string>(60_000, 1_000_000)
    const long = 'x'.repeat(10_000)
    for (let i = 0; i < 1000; i++) limit.count(`${i} ${long}`, 1, i)
    t.ok(limit.weight > 900_000 && limit.weight <= 1_000_000)
    t.equal(limit.count(`999 ${long}`, 1, 1000), 59_999, 'the last callers are counted')
    t.equal(limit.count(`0 ${long}`, 1, 1000), 0, 'the first callers are forgotten')
  })

  t.test('a caller whose name is part of a long header keeps none of it', async t => {
    const limit = new RateLimit<string>(60_000, 1_000_000)
    const before = await bytesInUse()
    for (let i = 0; i < 1000; i++) limit.count(`${'x'.repeat(15_000)}${Buffer.from(String(i).padStart(20, '0'))}`.slice(-20), 1)
    t.ok((await bytesInUse()) - before < 1_000_000)
    t.ok(limit.count('7'.padStart(20, '0'), 1) > 0, 'the new one is counted')
  })
})

t.test('the pacer', async t => {
  const hold = (milliseconds: number) => {
    const until = performance.now() + milliseconds
    while (performance.now() < until);
  }

  t.test('a caller gets what its job returns or throws', async t => {
    const pacer = new Pacer()
    t.equal(await pacer.run(() => 1), 1)
    t.equal(await pacer.run(async () => 2), 2)
    await t.rejects(
      pacer.run(() => {
        throw new Error('thrown')
      }),
      { message: 'thrown' }
    )
    await t.rejects(
      pacer.run(async () => {
        throw new Error('rejected')
      }),
      { message: 'rejected' }
    )
    t.equal(await pacer.run(() => 3), 3, 'the next task still runs')
  })

  for (const [kind, begin] of [
    ['at once', undefined],
    ['after an await', async () => await undefined]
  ] as const)
    t.test(`a crowd of jobs that are long ${kind} leaves turns of the event loop between them`, async t => {
      const pacer = new Pacer()
      const order: number[] = []
      const { turns } = await turnsDuring(() =>
        Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            pacer.run(() => {
              const work = () => {
                order.push(n)
                hold(2)
              }
              return begin ? begin().then(work) : work()
            })
          )
        )
      )
      t.ok(turns >= 19, `${turns} turns`)
      t.strictSame(
        order,
        Array.from({ length: 20 }, (_, n) => n)
      )
    })

  t.test('all pacers share the slice of a turn, and take turns in it', async t => {
    const pacers = Array.from({ length: 5 }, () => new Pacer())
    const order: number[] = []
    const job = (n: number) => () => {
      order.push(n)
      hold(2)
    }
    const { turns } = await turnsDuring(() => Promise.all(pacers.flatMap((pacer, n) => [pacer.run(job(n)), pacer.run(job(n))])))
    t.ok(turns >= 9, `${turns} turns`)
    t.strictSame(order, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
  })

  t.test('many short jobs share a turn', async t => {
    const pacer = new Pacer()
    const { turns } = await turnsDuring(() => Promise.all(Array.from({ length: 200 }, () => pacer.run(() => undefined))))
    t.ok(turns < 100, `${turns} turns`)
  })
})

t.test('an outage', async t => {
  t.test('an outage is known until it is over, which one caller finds out for all', async t => {
    const answers = [false, true]
    let asked = 0
    const outage = new Outage(async () => answers[asked++] as boolean, new AbortController().signal)
    t.equal(outage.isKnown, false)
    outage.noteOrThrow(unavailable())
    t.equal(outage.isKnown, true)
    outage.noteOrThrow(unavailable())
    t.strictSame([outage.isKnown, asked], [true, 1], 'the second one does not ask')
    await until(() => !outage.isKnown)
    t.equal(asked, 2)
  })

  t.test('nobody asks any more once the service closes', async t => {
    const closing = new AbortController()
    let asked = 0
    const outage = new Outage(async () => {
      // During the pause before the third question.
      if (++asked === 2) setTimeout(() => closing.abort(), 20)
      return false
    }, closing.signal)
    outage.noteOrThrow(unavailable())
    await until(() => !outage.isKnown)
    t.ok(asked <= 3, `${asked}`)
  })

  t.test('any other error begins no outage', async t => {
    const outage = new Outage(async () => false, AbortSignal.abort())
    const error = new Error('wrong')
    t.throws(() => outage.noteOrThrow(error), error)
    t.equal(outage.isKnown, false)
  })
})
