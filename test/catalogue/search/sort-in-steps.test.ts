import t from 'tap'
import { choicesFrom } from '../../../scripts/bench/data/generate.js'
import { byCodeUnits, sortInSteps } from '../../../src/catalogue/search/index.js'

t.test('many items are sorted in steps', async t => {
  const random = choicesFrom(1)
  for (const count of [0, 1, 1024, 1025, 20_000]) {
    const items = Array.from({ length: count }, (_, at) => ({ at, key: `${random.below(1000)}` }))
    let pauses = 0
    const pause = () => {
      pauses++
      return undefined
    }
    const compare = (one: { key: string }, other: { key: string }) => byCodeUnits(one.key, other.key)
    t.strictSame(await sortInSteps(items, compare, pause), items.toSorted(compare), `${count}, equal ones in their order`)
    t.ok(pauses >= count / 1024, `${pauses} pauses`)
  }
})
