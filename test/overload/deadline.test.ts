import t from 'tap'
import '../helpers/warnings.js'
import { unavailable } from '../../src/errors.js'
import { withDeadline } from '../../src/overload/deadline.js'

const never = new Promise(() => undefined)

t.test('a promise that settles in time is passed on', async t => {
  t.equal(await withDeadline(Promise.resolve(7), 500), 7)
  await t.rejects(withDeadline(Promise.reject(new Error('failed')), 500), { message: 'failed' })
})

t.test('any other ends in a 503, at once if the time is already over', async t => {
  await t.rejects(withDeadline(never, 1), unavailable())
  await t.rejects(withDeadline(never, -4.7), unavailable())
})
