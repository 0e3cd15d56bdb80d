import t from 'tap'
import '../helpers/warnings.js'
import { unavailable } from '../../src/errors.js'
import { InFlight } from '../../src/overload/in-flight.js'

t.test('an operation whose deadline has passed before it starts is given up at once', async t => {
  const inFlight = new InFlight(1, 500)
  await t.rejects(inFlight.within(new Promise(() => undefined), 504.7), unavailable())
  t.equal(inFlight.count, 1, 'it counts until it ends')
})
