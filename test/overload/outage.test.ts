import t from 'tap'
import { Outage } from '../../src/overload/outage.js'

t.test('an outage is known until it is over, which one caller finds out for all', async t => {
  const answers = [false, true]
  let asked = 0
  const outage = new Outage(async () => answers[asked++] as boolean, new AbortController().signal)
  t.equal(outage.isKnown, false)
  const found = outage.begin()
  t.equal(outage.isKnown, true)
  await outage.begin()
  t.equal(outage.isKnown, true, 'the second attempt does not wait')
  await found
  t.strictSame([outage.isKnown, asked], [false, 2])
})

t.test('nobody asks any more once the service closes', async t => {
  const closing = new AbortController()
  let asked = 0
  const outage = new Outage(async () => {
    // During the pause before the third question.
    if (++asked === 2) setTimeout(() => closing.abort(), 20)
    return false
  }, closing.signal)
  await outage.begin()
  t.ok(asked <= 3, `${asked}`)
})
