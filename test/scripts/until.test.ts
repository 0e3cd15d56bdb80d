import t from 'tap'
import { until } from '../../scripts/processes.js'

t.test('resolves with the first answer that is there', async t => {
  const answers = [undefined, null, false, 'here', 'too late']
  t.equal(await until('the answer', () => answers.shift(), { every: 1 }), 'here')
})

t.test('says what did not come in time, and what is there in its place', async t => {
  const never = () => false
  await t.rejects(until('the answer', never, { within: 5, every: 1 }), { message: 'Not within 0.005 s: the answer' })
  const instead = async () => ', only silence'
  await t.rejects(until('the answer', never, { within: 5, every: 1, instead }), { message: 'Not within 0.005 s: the answer, only silence' })
})
