import t from 'tap'
import { solve } from '../../../src/recommendations/model/cholesky.js'
import { randomFrom } from '../../../src/recommendations/model/random.js'

t.test('equations are solved, singular ones too', async t => {
  const random = randomFrom(5)
  for (const size of [0, 2, 4, 10]) {
    const half = Array.from({ length: size }, () => Float64Array.from({ length: size }, () => random()))
    const product = (i: number, j: number) =>
      (half[i] as Float64Array).reduce((sum, value, k) => sum + value * ((half[j] as Float64Array)[k] as number), i === j ? 1 : 0)
    const matrix = Float64Array.from({ length: size * size }, (_, at) => product(Math.floor(at / size), at % size))
    const wanted = Float64Array.from({ length: size }, () => random())
    const right = Float64Array.from({ length: size }, (_, i) =>
      wanted.reduce((sum, value, j) => sum + value * (matrix[i * size + j] as number), 0)
    )
    solve(matrix, size, right)
    t.ok(right.every((value, i) => Math.abs(value - (wanted[i] as number)) < 1e-9))
  }
  const right = Float64Array.of(1, 1)
  solve(Float64Array.of(1, 1, 1, 1), 2, right)
  t.ok(right.every(Number.isFinite))
})
