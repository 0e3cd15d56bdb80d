import t from 'tap'
import { Pacer } from '../../src/overload/pacer.js'
import { turnsDuring } from '../helpers/event-loop.js'

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
