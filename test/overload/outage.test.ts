import t from 'tap'
import { unavailable } from '../../src/errors.js'
import { Outage } from '../../src/overload/outage.js'
import { until } from '../helpers/until.js'

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
