import t from 'tap'
import { countedGram, gramOf, maxPrecomputed, precomputedGram } from '../../../src/recommendations/model/gram.js'
import { trainingSetOf, userWeights } from '../../../src/recommendations/model/training-set.js'
import { isNear } from './helper.js'
import { dense } from './synthetic.js'

t.test('counting all pairs at once and counting by viewers agree, and counting by some viewers nearly does', async t => {
  const set = trainingSetOf(dense({ users: 8000, items: 40, views: 10 }))
  const weights = userWeights(set, 0.5)
  const items = Uint32Array.from([1, 4, 7, 20, 39])
  const filled = (gram: ReturnType<typeof precomputedGram>) => {
    const matrix = new Float64Array(36).fill(Number.NaN)
    gram(items, matrix, 6)
    return [0, 1, 2, 3, 4].map(row => [...matrix.subarray(row * 6, row * 6 + row + 1)])
  }
  const wanted = filled(precomputedGram(set, weights))
  // With too many items for a table of all pairs, they are counted one by one, with the same result.
  t.ok(isNear(filled(gramOf({ ...set, itemCount: maxPrecomputed + 1 }, weights)), wanted, 1e-3))
  t.ok(isNear(filled(countedGram(set, weights)), wanted, 1e-3))
  const counted = countedGram(set, weights, 1000)
  const estimates = filled(counted)
  t.notOk(isNear(estimates, wanted, 1e-3))
  t.ok(
    estimates.every((row, i) => Math.abs((row[i] as number) / ((wanted[i] as number[])[i] as number) - 1) < 0.35),
    'the diagonal'
  )
  t.strictSame(filled(counted), estimates, 'earlier counts leave nothing behind')
})
