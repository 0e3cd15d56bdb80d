import t from 'tap'
import '../warnings.js'
import { unavailable } from '../../src/errors.js'
import { Waiting } from '../../src/overload/waiting.js'

t.test('a wait whose time was over before it began is given up at once', async t => {
  const waiting = new Waiting(1, 500)
  await t.rejects(waiting.within(new Promise(() => undefined), 504.7), unavailable())
  t.equal(waiting.count, 1, 'and counts until what it waited for has ended')
})
