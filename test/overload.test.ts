import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { entrySize } from '../src/cache.js'
import { unavailable } from '../src/errors.js'
import { hashPassword } from '../src/identity/passwords.js'
import { withDeadline } from '../src/overload/deadlines.js'
import { LoginQueue } from '../src/overload/login-queue.js'
import { Outage } from '../src/overload/outage.js'
import { Pacer } from '../src/overload/pacer.js'
import { RateLimit } from '../src/overload/rate-limit.js'
import { Semaphore } from '../src/overload/semaphore.js'
import { type App, addUser as add, build, password } from './helpers/app.js'
import { appUrl } from './helpers/database.js'
import { turnsDuring } from './helpers/event-loop.js'
import { bytesInUse } from './helpers/memory.js'
import { until } from './helpers/until.js'

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

  t.test('a stream that comes in time is passed on as it is', async t => {
    const stream = Readable.from(['text'])
    t.equal(await withDeadline(Promise.resolve(stream), 500), stream)
    t.notOk(stream.destroyed)
  })

  t.test('a stream that comes after the deadline is destroyed, because nobody reads it', async t => {
    const stream = Readable.from(['text'])
    await t.rejects(withDeadline(sleep(20, stream), 1), unavailable())
    t.notOk(stream.destroyed)
    await until(() => stream.destroyed)
  })
})

t.test('Semaphore', async t => {
  /** A semaphore whose jobs note that they began, and end when they are told to. */
  const noting = (...options: ConstructorParameters<typeof Semaphore>) => {
    const semaphore = new Semaphore(...options)
    const begun: string[] = []
    const running: { caller: number | undefined; end: () => void }[] = []
    const ask = (name: string, caller?: number, milliseconds?: number) => {
      const job = () => {
        begun.push(name)
        return new Promise<void>(end => running.push({ caller, end }))
      }
      return semaphore.run(job, caller, milliseconds)
    }
    /** Ends the job of each of these callers that has run for the longest, one after the other. */
    const end = async (...callers: (number | undefined)[]) => {
      for (const caller of callers) {
        const first = running.findIndex(job => job.caller === caller)
        running.splice(first, 1)[0]?.end()
        await new Promise(setImmediate)
      }
    }
    return { begun, ask, end }
  }

  t.test('as many jobs run at once as may, and the next begins when one ends', async t => {
    const { begun, ask, end } = noting(1)
    const [first, second] = [ask('first'), ask('second')]
    await new Promise(setImmediate)
    t.strictSame(begun, ['first'])
    await end(undefined)
    await first
    t.strictSame(begun, ['first', 'second'])
    await end(undefined)
    await second
  })

  t.test('callers take turns', async t => {
    const { begun, ask, end } = noting(1)
    for (const n of [1, 2, 3]) void ask(`many ${n}`, 1)
    void ask('one', 2)
    await end(1, 1, 2)
    t.strictSame(begun, ['many 1', 'many 2', 'one', 'many 3'])
  })

  t.test('one caller gets a part of the permits, the rest is for others', async t => {
    const { begun, ask, end } = noting(3, 2)
    for (const n of [1, 2, 3, 4]) void ask(`many ${n}`, 1)
    t.strictSame(begun, ['many 1', 'many 2'])
    void ask('one', 2)
    t.strictSame(begun, ['many 1', 'many 2', 'one'], 'the first ones begin at once')
    void ask('two', 3)
    await end(2)
    t.equal(begun.at(-1), 'two')
    await end(1)
    t.equal(begun.at(-1), 'many 3')
    await end(3)
    t.equal(begun.at(-1), 'many 3', 'the longest waiting one is next')
    await end(1)
    t.equal(begun.at(-1), 'many 4')
  })

  t.test('a caller with many jobs delays the others by one job at most', async t => {
    const { begun, ask, end } = noting(1)
    void ask('running', 0)
    for (const n of [1, 2, 3]) void ask(`many ${n}`, 1)
    void ask('first', 2)
    void ask('second', 3)
    await end(0)
    t.strictSame(begun, ['running', 'many 1'])
    void ask('third', 4)
    await end(1, 2, 3, 1, 4, 1)
    t.strictSame(begun, ['running', 'many 1', 'first', 'second', 'many 2', 'third', 'many 3'])
  })

  t.test('the jobs of one caller run in order, and so do those without a caller', async t => {
    const { begun, ask, end } = noting(1)
    void ask('running', 0)
    for (const n of [1, 2, 3]) void ask(`${n}`)
    await end(0, undefined, undefined, undefined)
    t.strictSame(begun, ['running', '1', '2', '3'])
    void ask('again')
    t.equal(begun.at(-1), 'again')
  })

  t.test('who is not ready keeps the place and the order of the jobs', async t => {
    const { begun, ask, end } = noting(2, 1)
    void ask('running', 0)
    for (const n of [0, 1, 2]) void ask(`busy ${n}`, 1)
    void ask('free', 2)
    await end(0)
    t.strictSame(begun, ['running', 'busy 0', 'free'])
    await end(2)
    t.strictSame(begun, ['running', 'busy 0', 'free'], 'nobody is ready')
    await end(1, 1)
    t.strictSame(begun, ['running', 'busy 0', 'free', 'busy 1', 'busy 2'])
  })

  t.test('once the first one has waited for too long, the last ones come first', async t => {
    const { begun, ask, end } = noting(1, 1, 5)
    void ask('running', 0)
    for (const [name, caller] of [
      ['a', 1],
      ['b 1', 2],
      ['b 2', 2],
      ['c', 3]
    ] as const)
      void ask(name, caller)
    await sleep(10)
    await end(0, 3, 2, 2)
    t.strictSame(begun, ['running', 'c', 'b 2', 'b 1', 'a'])
  })

  t.test('a job whose turn does not come in time leaves the queue, the others keep their places', async t => {
    const { begun, ask, end } = noting(1)
    void ask('running', 0)
    const late = [ask('late', 1, 1), ask('long late', 2, -5)]
    void ask('patient', 1, 60_000)
    for (const job of late) await t.rejects(job, unavailable())
    await end(0, 1)
    t.strictSame(begun, ['running', 'patient'])
  })

  t.test('a job that fails passes its permit on', async t => {
    const semaphore = new Semaphore(1)
    const failing = semaphore.run(() => {
      throw new Error('no luck')
    })
    const next = semaphore.run(() => 'done')
    await t.rejects(failing, { message: 'no luck' })
    t.equal(await next, 'done')
  })
})

t.test('LoginQueue', async t => {
  /** Jobs that end when they are told to, and the order in which they began. */
  const jobsOf = (semaphore: LoginQueue) => {
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
    const { ask, begun, refused, drain, settled } = jobsOf(new LoginQueue(2, () => 3))
    for (const i of times(6)) ask(`a${i}`, 'a')
    await settled()
    t.strictSame(begun, ['a1', 'a2'])
    t.strictSame(refused, ['a6'])
    await drain()
    t.strictSame(begun, ['a1', 'a2', 'a3', 'a4', 'a5'])
  })

  t.test('if nobody may wait, a caller without a free place is refused', async t => {
    const { ask, begun, refused, settled } = jobsOf(new LoginQueue(1, () => 0))
    ask('a1', 'a')
    ask('b1', 'b')
    await settled()
    t.strictSame([begun, refused], [['a1'], ['b1']])
  })

  t.test('addresses take turns', async t => {
    const { ask, begun, drain, settled } = jobsOf(new LoginQueue(1, () => 10))
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
    const semaphore = new LoginQueue(1, () => 3)
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
    const { ask, begun, refused, drain, settled } = jobsOf(new LoginQueue(1, () => 4))
    for (const i of times(5)) ask(`x${i}`, `address ${i}`, 'x')
    ask('y1', 'b', 'y')
    await settled()
    t.strictSame(refused, ['x5'])
    await drain()
    t.ok(begun.indexOf('y1') <= 2, begun.join(' '))
  })

  t.test('a crowd from one address for an account leaves its owner elsewhere alone', async t => {
    const { ask, begun, drain, settled } = jobsOf(new LoginQueue(1, () => 10))
    for (const i of times(11)) ask(`x${i}`, 'attacker', 'x')
    ask('owner', 'home', 'x')
    await settled()
    await drain()
    t.ok(begun.indexOf('owner') <= 2, begun.join(' '))
  })

  t.test('nobody waits for ever, however many come', async t => {
    const { ask, begun, refused, end, drain, settled } = jobsOf(new LoginQueue(1, () => 4))
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
    const { ask, begun, refused, drain, settled } = jobsOf(new LoginQueue(1, () => 4))
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
    const semaphore = new LoginQueue(1, () => 1)
    const caller = { address: 'a', account: 'a', deadline: performance.now() + 60_000 }
    const failing = semaphore.run(caller, async () => {
      throw new Error('no luck')
    })
    const next = semaphore.run(caller, async () => 'done')
    await t.rejects(failing, { message: 'no luck' })
    t.equal(await next, 'done')
  })
})

/** A user whose hash takes as long to check as one that the service makes. */
const addUser = (app: App) => add(app, undefined, undefined, hashPassword(password))

const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))
const statusesOf = (answers: { statusCode: number }[]) => answers.map(({ statusCode }) => statusCode)

const logIn = (app: App, email: string, address: string, given = password) =>
  app.inject({ method: 'POST', url: '/login', remoteAddress: address, payload: { email, password: given } })

/** How many of a crowd have signed in when another caller, who comes later, gets an answer, and the status of that. */
const besideCrowd = async (crowd: Promise<{ statusCode: number }>[], other: () => ReturnType<typeof logIn>) => {
  let served = 0
  const answers = crowd.map(async login => {
    const answer = await login
    if (answer.statusCode === 200) served++
    return answer
  })
  const { statusCode } = await other()
  const before = served
  return { statusCode, before, crowd: statusesOf(await Promise.all(answers)) }
}

t.test('a crowd of right passwords', async t => {
  const app = await build(t)
  const [greedy, victim] = [await addUser(app), await addUser(app)]
  const size = 100

  const isHardlyDelayed = ({ statusCode, before, crowd }: Awaited<ReturnType<typeof besideCrowd>>) => {
    t.equal(statusCode, 200)
    t.ok(before <= 8, `${before} of the crowd were served before`)
    t.ok(
      crowd.every(status => status === 200 || status === 429),
      [...new Set(crowd)].join()
    )
    t.ok(crowd.includes(429), 'the crowd itself is limited')
  }

  t.test('from one address for one account keeps nobody waiting', async () => {
    const crowd = times(size, () => logIn(app, greedy.email, '192.0.2.66'))
    isHardlyDelayed(await besideCrowd(crowd, () => logIn(app, victim.email, '192.0.2.1')))
  })

  t.test('from one address for many accounts neither', async () => {
    const users = await Promise.all(times(size, () => addUser(app)))
    const crowd = users.map(({ email }) => logIn(app, email, '192.0.2.66'))
    isHardlyDelayed(await besideCrowd(crowd, () => logIn(app, victim.email, '192.0.2.1')))
  })

  t.test('from many addresses for one account neither', async () => {
    const crowd = times(size, i => logIn(app, greedy.email, `198.51.100.${i}`))
    isHardlyDelayed(await besideCrowd(crowd, () => logIn(app, victim.email, '192.0.2.1')))
  })

  t.test('from one address does not keep the owner of the account out who is elsewhere', async () => {
    const crowd = times(size, () => logIn(app, victim.email, '192.0.2.66'))
    isHardlyDelayed(await besideCrowd(crowd, () => logIn(app, victim.email, '192.0.2.1')))
  })
})

t.test('people behind one address all sign in at once, where nobody else waits', async t => {
  const app = await build(t)
  const users = await Promise.all(times(20, () => addUser(app)))
  const answers = await Promise.all(users.map(({ email }) => logIn(app, email, '192.0.2.7')))
  t.strictSame(
    statusesOf(answers),
    users.map(() => 200)
  )
})

t.test('right passwords for one account from one address have a limit that nobody meets', async t => {
  const url = await appUrl(t)
  const app = await build(t, { url })
  const { email } = await addUser(app)
  t.equal((await logIn(app, email, '192.0.2.1')).statusCode, 200)
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  const attempts = client.db().collection('login_attempts')
  t.equal((await attempts.updateMany({ right: 1 }, { $set: { right: 999 } })).modifiedCount, 1)
  t.equal((await logIn(app, email, '192.0.2.1')).statusCode, 200)
  const { statusCode, headers } = await logIn(app, email, '192.0.2.1')
  t.equal(statusCode, 429)
  t.ok(Number(headers['retry-after']) > 700)
  t.equal((await logIn(app, email, '192.0.2.2')).statusCode, 200, 'other addresses may sign in')
  await attempts.updateMany({}, { $set: { expires_at: new Date(Date.now() - 1000) } })
  t.equal((await logIn(app, email, '192.0.2.1')).statusCode, 200, 'until the window has ended')
})
