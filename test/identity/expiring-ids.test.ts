import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { ExpiringIds } from '../../src/identity/expiring-ids.js'

/** Ids that collide in every way: the same slot of the same table, and equal in all parts but one. */
const crowded = Array.from({ length: 4 }, (_, i) =>
  [0, 16, 4096, 4097].flatMap(n => {
    const parts = [1, 2, 3, 256].map((part, at) => (at === i ? part + 256 * n : part).toString(16).padStart(8, '0'))
    const hex = parts.join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  })
).flat()

t.test('a set of ids that expire is like a Map of them', async _t => {
  const id = fc.oneof(fc.uuid(), fc.constantFrom(...crowded))
  const steps = fc.array(
    fc.oneof(
      fc.record({ id, until: fc.integer({ min: 1, max: 100 }) }),
      fc.record({ now: fc.integer({ min: 0, max: 100 }), count: fc.constantFrom(256, 512) })
    ),
    { maxLength: 300 }
  )
  fc.assert(
    fc.property(steps, fc.array(id), (steps, others) => {
      const ids = new ExpiringIds()
      const expected = new Map<string, number>()
      for (const step of steps) {
        if ('id' in step) {
          ids.add(step.id, step.until)
          expected.set(step.id, Math.max(step.until, expected.get(step.id) ?? 0))
        } else {
          ids.sweep(step.now, step.count)
          for (const [id, until] of expected) if (until <= step.now) expected.delete(id)
        }
        if (ids.size !== expected.size) return false
      }
      return [...others, ...crowded, ...expected.keys()].every(id => ids.has(id) === expected.has(id))
    })
  )
})

t.test('a hundred thousand ids', async t => {
  const all = Array.from({ length: 100_000 }, () => randomUUID() as string)
  const ids = new ExpiringIds()
  for (const [n, id] of all.entries()) ids.add(id, n + 1)
  t.equal(ids.size, all.length)
  t.equal(all.filter(id => !ids.has(id)).length, 0)
  t.equal(all.filter(() => ids.has(randomUUID())).length, 0)

  // In several turns, as after each read of the database.
  for (let turn = 0; turn < 32; turn++) ids.sweep(60_000, 8)
  t.equal(ids.size, 40_000)
  t.strictSame([all.slice(0, 60_000).filter(id => ids.has(id)).length, all.slice(60_000).filter(id => !ids.has(id)).length], [0, 0])
  ids.sweep(100_000)
  t.equal(ids.size, 0)
})

t.test('a text that is no session id is never in the set', async t => {
  const ids = new ExpiringIds()
  const known = randomUUID()
  const others = ['', 'x', known.toUpperCase(), known.replaceAll('-', ''), `${known} `, known.replace('-', '0'), 'g'.repeat(36)]
  for (const text of [known, ...others]) ids.add(text, 10)
  t.equal(ids.size, 1)
  t.strictSame(
    others.filter(text => ids.has(text)),
    []
  )
  t.ok(ids.has(known))
})
