import t from 'tap'
import { trackedBytes } from '../../src/cache.js'
import { Fragments } from '../../src/catalogue/fragments.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import type { ContentDocument } from '../../src/data/contents.js'
import { content } from '../helpers/documents.js'
import { bytesInUse } from '../helpers/memory.js'

t.test('at most two public lists read from the database at once, and viewers need not wait for them', async t => {
  const ends: (() => void)[] = []
  const begun: number[][] = []
  const read = (ids: number[]) => {
    begun.push(ids)
    return new Promise<ContentDocument[]>(resolve => ends.push(() => resolve(ids.map(id => content(id)))))
  }
  const fragments = new Fragments({ skeleton: () => new Skeleton(), read, onBroken: () => undefined }, 1_000_000)
  const turn = () => new Promise(setImmediate)

  const lists = [1, 2, 3, 4].map(id => fragments.forPublicList([id]))
  await turn()
  t.strictSame(begun, [[1], [2]])
  const viewer = fragments.of([5])
  await turn()
  t.strictSame(begun, [[1], [2], [5]])
  ends[0]?.()
  await turn()
  t.strictSame(begun, [[1], [2], [5], [3]])
  for (let i = 1; i < 5; i++) {
    ends[i]?.()
    await turn()
  }
  t.equal((await viewer).length, 1)
  t.equal((await Promise.all(lists)).length, 4)
})

t.test('fragments keep no more memory than they weigh', async t => {
  const skeleton = new Skeleton()
  const contents = new Map(Array.from({ length: 1000 }, (_, id) => [id, content(id, { name: 'n'.repeat(200) })]))
  for (const one of contents.values()) skeleton.put(one)
  const fragments = new Fragments(
    {
      skeleton: () => skeleton,
      read: async ids => {
        // These share the slabs of small buffers with the fragments.
        for (let n = 0; n < 10; n++) Buffer.from('x'.repeat(1500))
        return ids.map(id => contents.get(id) as ContentDocument)
      },
      onBroken: () => undefined
    },
    10_000_000
  )
  const before = await bytesInUse()
  const weightBefore = trackedBytes()
  for (const id of contents.keys()) await fragments.of([id])
  const weight = trackedBytes() - weightBefore
  t.equal(weight, fragments.bytes)
  t.ok((await bytesInUse()) - before < weight * 1.2 + 200_000)
})
