import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import '../helpers/warnings.js'
import { unavailable } from '../../src/errors.js'
import { DeadlineQueue } from '../../src/overload/deadline-queue.js'
import { InFlight } from '../../src/overload/in-flight.js'
import { until } from '../helpers/until.js'

const queueOf = (timeout: number) => new DeadlineQueue(1, 1, new InFlight(10, timeout))

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
