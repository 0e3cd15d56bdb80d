import t, { type Test } from 'tap'
import { everybody } from '../../src/catalogue/audience.js'
import { Recommender } from '../../src/recommendations/serving/recommender.js'
import { packed, type StoredModel, unpacked } from '../../src/recommendations/stored-model.js'
import { buildWith } from '../helpers/app.js'
import { film } from '../helpers/documents.js'
import { span } from './helper.js'

/** A model in which each item speaks for the two after it. */
const modelOf = (ids: number[]): StoredModel => ({
  ids: Float64Array.from(ids),
  watched: ids.length,
  halfLives: { next: 3, liked: 30 },
  links: {
    starts: Uint32Array.from([...ids, 0], (_, i) => 2 * i),
    targets: Uint32Array.from(ids.flatMap((_, i) => [(i + 1) % ids.length, (i + 2) % ids.length].sort((a, b) => a - b))),
    first: Float32Array.from(ids.flatMap(() => [0.5, 0.25])),
    second: Float32Array.from(ids.flatMap(() => [0.25, 0]))
  }
})
const bytesOf = (model: StoredModel) => packed(model).buffer as ArrayBuffer

t.test('unpacking returns what was packed', async t => {
  for (const ids of [[], [7], [1, 2], [3, 4, 5], [9_007_199_254_740_991, 1, 4_294_967_296, 2]]) {
    const model = modelOf(ids)
    t.strictSame(unpacked(bytesOf(model)), model, `${ids.length} items`)
  }
  const ageless = { ...modelOf([1, 2, 3]), halfLives: { next: 2, liked: Number.POSITIVE_INFINITY } }
  t.strictSame(unpacked(bytesOf(ageless)), ageless)
  const part = modelOf(span(1, 10))
  const view = { ...part, ids: part.ids.subarray(2, 7), watched: 5, links: { ...part.links, starts: part.links.starts.subarray(0, 6) } }
  const shortened = {
    ...view,
    links: {
      ...view.links,
      targets: part.links.targets.subarray(0, 10),
      first: part.links.first.subarray(0, 10),
      second: part.links.second.subarray(0, 10)
    }
  }
  t.strictSame([...unpacked(bytesOf(shortened)).ids], [3, 4, 5, 6, 7], 'also of parts of larger buffers')
})

t.test('bytes that are cut, or more than they say, are refused', async t => {
  const bytes = bytesOf(modelOf(span(1, 9)))
  const isTaken = (length: number) => {
    try {
      unpacked(bytes.slice(0, length))
      return true
    } catch {
      return false
    }
  }
  const taken = Array.from({ length: bytes.byteLength + 1 }, (_, length) => length).filter(isTaken)
  t.strictSame(taken, [bytes.byteLength])
  const longer = new Uint8Array(bytes.byteLength + 8)
  longer.set(new Uint8Array(bytes))
  t.throws(() => unpacked(longer.buffer))
})

t.test('bytes that make no sense are refused, or recommend something else at the worst', async t => {
  const contents = span(1, 40).map(id => film(id))
  const app = await buildWith(t, { contents })
  const rows = span(1, 40).map(id => app.catalogue.skeleton.row(id) as number)
  const viewing = { titles: new Map(rows.slice(0, 5).map(row => [row, 1])), excluded: new Set(rows.slice(0, 5)) }

  /** Whatever the bytes are, there are recommendations, and at once. */
  const assertServes = (t: Test, bytes: ArrayBuffer, what: string) => {
    const recommender = new Recommender(app.catalogue)
    let refused = false
    try {
      recommender.use(unpacked(bytes))
    } catch {
      refused = true
    }
    const began = performance.now()
    const shown = recommender.recommend(viewing, everybody, 40)
    const isAtOnce = performance.now() - began < 5000
    t.strictSame([shown.length, new Set(shown.map(({ title }) => title)).size, isAtOnce], [35, 35, true], what)
    return refused
  }

  const good = bytesOf(modelOf(span(1, 40)))
  t.equal(assertServes(t, good, 'an intact model'), false)
  for (const [what, fill] of [
    ['zeros', 0],
    ['ones', 0xff],
    ['a pattern', 0x41]
  ] as const)
    t.ok(assertServes(t, new Uint8Array(good.byteLength).fill(fill).buffer, what), `${what} are refused`)

  const spoilt = (at: number, write: (view: DataView, at: number) => void) => {
    const bytes = good.slice(0)
    write(new DataView(bytes), at)
    return bytes
  }
  const headers = [Number.NaN, -1, 0.5, 1e9, Number.POSITIVE_INFINITY, 39, 41]
  for (const field of [0, 1])
    for (const value of headers) {
      const bytes = spoilt(field * 8, (view, at) => view.setFloat64(at, value, true))
      t.ok(assertServes(t, bytes, `${value} as size ${field}`), `${value} as size ${field} is refused`)
    }
  for (const value of [Number.NaN, -1, 41])
    t.ok(
      assertServes(
        t,
        spoilt(16, (view, at) => view.setFloat64(at, value, true)),
        `${value} as watched`
      ),
      `${value} watched titles are refused`
    )
  for (const field of [24, 32])
    for (const halfLife of [Number.NaN, 0, -1, Number.NEGATIVE_INFINITY])
      assertServes(
        t,
        spoilt(field, (view, at) => view.setFloat64(at, halfLife, true)),
        `a half-life of ${halfLife}`
      )

  const starts = 40 + 40 * 8
  const targets = starts + 41 * 4
  const weights = targets + 80 * 4
  for (const value of [1, 3, 79, 81, 2 ** 31, 2 ** 32 - 1])
    for (const row of [0, 1, 3, 40]) {
      const bytes = spoilt(starts + row * 4, (view, at) => view.setUint32(at, value, true))
      // Only row 1 has room to begin at 1 or 3.
      t.equal(assertServes(t, bytes, `${value} as the start of row ${row}`), row !== 1 || value > 4, `${value}, row ${row}`)
    }
  for (const value of [40, 2 ** 31, 2 ** 32 - 1])
    for (const place of [0, 1, 6])
      assertServes(
        t,
        spoilt(targets + place * 4, (view, at) => view.setUint32(at, value, true)),
        `target ${value}`
      )
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e38])
    for (const place of [0, 1, 6])
      assertServes(
        t,
        spoilt(weights + place * 4, (view, at) => view.setFloat32(at, value, true)),
        `weight ${value}`
      )
  for (const value of [Number.NaN, -1, 0.5, 1e300, 1, 2, 6])
    assertServes(
      t,
      spoilt(40 + 6 * 8, (view, at) => view.setFloat64(at, value, true)),
      `id ${value}`
    )
  // Neighbours out of order: found for the score, not for the reason.
  const unsorted = good.slice(0)
  new Uint32Array(unsorted, targets, 80).reverse()
  assertServes(t, unsorted, 'links that are not in order')
  // All kinds of noise in one place or many, the same each time.
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let i = 0; i < 300; i++) {
    const bytes = good.slice(0)
    const noise = new Uint32Array(bytes)
    const places = 1 + random(i % 2 ? 3 : 60)
    for (let n = 0; n < places; n++) noise[10 + random(noise.length - 10)] = random(3) ? random(100) : random(2_147_483_646) * 2
    assertServes(t, bytes, `noise ${i}`)
  }
})
