import t from 'tap'
import { poll } from '../plugins/preparation.js'
import { until } from './helpers/until.js'

t.test('poll', { jobs: 2 }, async t => {
  t.test('looks each second, from a second after the start until it is told to stop', async t => {
    const stop = new AbortController()
    const looks: number[] = []
    const began = performance.now()
    const following = poll(
      async () => void looks.push(performance.now() - began),
      stop.signal,
      fault => t.fail(String(fault))
    )
    await until(() => looks.length === 2)
    stop.abort()
    await following
    for (const [n, at] of looks.entries()) t.ok(at >= (n + 1) * 990, `look ${n + 1} after ${at} ms`)
  })

  t.test('reports the first of consecutive failures, and none after it was told to stop', async t => {
    const stop = new AbortController()
    const outcomes = ['fault', 'fault', 'fine', 'fault', 'fine', 'last']
    const told: string[] = []
    await poll(
      async () => {
        const outcome = outcomes.shift()
        if (outcome === 'last') stop.abort()
        if (outcome !== 'fine') throw new Error(`${outcome}, with ${outcomes.length} to come`)
      },
      stop.signal,
      fault => told.push((fault as Error).message)
    )
    t.strictSame(told, ['fault, with 5 to come', 'fault, with 2 to come'])
  })
})
