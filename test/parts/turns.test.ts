import t from 'tap'
import { Turns } from '../../src/turns.js'

t.test('so many jobs at once, so many in the queue, and no more', async t => {
  const turns = new Turns(1, 1)
  const ends: (() => void)[] = []
  const job = () => new Promise<void>(resolve => ends.push(resolve))
  const [first, second] = [turns.take(job), turns.take(job)]
  await t.rejects(turns.take(job), { message: 'Too many requests, try again later' })
  ends[0]?.()
  await first
  t.equal(ends.length, 2, 'the next has begun')
  ends[1]?.()
  await second
  turns.assertRoom()
})
