import t from 'tap'
import { Turns } from '../../src/overload/turns.js'

const drained = (turns: Turns<string>) => {
  const jobs: string[] = []
  for (let job = turns.shift(); job !== undefined; job = turns.shift()) jobs.push(job)
  return jobs
}

t.test('a caller with many jobs delays the others by one job at most', async t => {
  const turns = new Turns<string>()
  for (const n of [1, 2, 3]) turns.push(`many ${n}`, 1)
  turns.push('first', 2)
  turns.push('second', 3)
  t.equal(turns.shift(), 'many 1')
  turns.push('third', 4)
  t.strictSame(drained(turns), ['first', 'second', 'many 2', 'third', 'many 3'])
})

t.test('the jobs of one caller run in order, and so do those without a caller', async t => {
  const turns = new Turns<string>()
  t.strictSame(drained(turns), [])
  for (const n of [1, 2, 3]) turns.push(`${n}`, undefined)
  t.strictSame(drained(turns), ['1', '2', '3'])
  turns.push('again', undefined)
  t.strictSame(drained(turns), ['again'])
})

t.test('who is not ready keeps the place and the order of the jobs', async t => {
  const turns = new Turns<string>()
  turns.push('busy 1', 1)
  turns.push('busy 2', 1)
  turns.push('free', 2)
  t.equal(
    turns.shift(caller => caller !== 1),
    'free'
  )
  t.equal(
    turns.shift(caller => caller !== 1),
    undefined
  )
  t.strictSame(drained(turns), ['busy 1', 'busy 2'])
})
