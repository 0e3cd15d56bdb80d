import t, { type Test } from 'tap'
import { readModelFile } from '../../scripts/train/foreign-model.js'
import { everybody } from '../../src/catalogue/audience.js'
import { featureCount, periods, type Share } from '../../src/recommendations/model/index.js'
import { Recommender } from '../../src/recommendations/serving/recommender.js'
import { largestModel, modelFormat, packed, type StoredModel, unpacked } from '../../src/recommendations/stored-model.js'
import { buildWith } from '../helpers/app.js'
import { film } from '../helpers/documents.js'
import { span } from './helper.js'

/** A model in which each item speaks for the two after it. */
const modelOf = (ids: number[]): StoredModel => ({
  ids: Float64Array.from(ids),
  watchedCount: ids.length,
  shares: [
    { share: 1, halfLife: 3 },
    { share: 0.5, halfLife: 30 }
  ],
  views: Float32Array.from(ids, (_, i) => i + 1),
  freshness: Float32Array.from(ids, (_, i) => 1 + i / 100),
  recent: Float32Array.from({ length: ids.length * periods.length }, (_, i) => i),
  weights: Float64Array.from({ length: featureCount(2) }, (_, feature) => feature / 10 - 1),
  links: {
    starts: Uint32Array.from([...ids, 0], (_, i) => 2 * i),
    targets: Uint32Array.from(ids.flatMap((_, i) => [(i + 1) % ids.length, (i + 2) % ids.length].sort((a, b) => a - b))),
    tables: 2,
    weights: Float32Array.from(ids.flatMap(() => [0.5, 0.25, 0.25, 0]))
  }
})
const bytesOf = (model: StoredModel) => packed(model).buffer as ArrayBuffer

t.test('unpacking returns what was packed', async t => {
  for (const ids of [[], [7], [1, 2], [3, 4, 5], [9_007_199_254_740_991, 1, 4_294_967_296, 2]]) {
    const model = modelOf(ids)
    t.strictSame(unpacked(bytesOf(model)), model, `${ids.length} items`)
  }
  const { links } = modelOf([1, 2, 3])
  const ageless = {
    ...modelOf([1, 2, 3]),
    shares: [{ share: 1, halfLife: Number.POSITIVE_INFINITY }],
    links: { ...links, tables: 1, weights: links.weights.slice(6) },
    weights: new Float64Array(0)
  }
  t.strictSame(unpacked(bytesOf(ageless)), ageless)
  const part = modelOf(span(1, 10))
  const view = {
    ...part,
    ids: part.ids.subarray(2, 7),
    views: part.views.subarray(2, 7),
    freshness: part.freshness.subarray(2, 7),
    recent: part.recent.subarray(2 * periods.length, 7 * periods.length),
    watchedCount: 5,
    links: { ...part.links, starts: part.links.starts.subarray(0, 6) }
  }
  const shortened = {
    ...view,
    links: {
      ...view.links,
      targets: part.links.targets.subarray(0, 10),
      weights: part.links.weights.subarray(0, 20)
    }
  }
  const { ids, views } = unpacked(bytesOf(shortened))
  t.strictSame(
    [[...ids], [...views]],
    [
      [3, 4, 5, 6, 7],
      [3, 4, 5, 6, 7]
    ],
    'also of parts of larger buffers'
  )
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
  const viewing = { titles: new Map(rows.slice(0, 5).map(row => [row, 1])), excluded: new Set(rows.slice(0, 5)), faded: new Set<number>() }

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
  for (const field of [0, 1, 3, 4])
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
  for (const field of [48, 64])
    for (const halfLife of [Number.NaN, 0, -1, Number.NEGATIVE_INFINITY])
      assertServes(
        t,
        spoilt(field, (view, at) => view.setFloat64(at, halfLife, true)),
        `a half-life of ${halfLife}`
      )

  const ids = 40 + 2 * 16 + featureCount(2) * 8
  const views = ids + 40 * 8
  const recent = views + 40 * 8
  const starts = recent + 40 * periods.length * 4
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
      spoilt(ids + 6 * 8, (view, at) => view.setFloat64(at, value, true)),
      `id ${value}`
    )
  for (const value of [Number.NaN, -1, 0, Number.POSITIVE_INFINITY])
    for (const place of [0, 6, 40, 46])
      assertServes(
        t,
        spoilt(views + place * 4, (view, at) => view.setFloat32(at, value, true)),
        `views or freshness ${value}`
      )
  for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY])
    for (const place of [0, 159])
      assertServes(
        t,
        spoilt(recent + place * 4, (view, at) => view.setFloat32(at, value, true)),
        `recent views ${value}`
      )
  for (const value of [Number.NaN, Number.NEGATIVE_INFINITY, 1e308])
    assertServes(
      t,
      spoilt(72, (view, at) => view.setFloat64(at, value, true)),
      `weight of a feature ${value}`
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

/** Three titles, each with the two others for neighbours. */
const model = (): StoredModel => ({
  ids: Float64Array.of(7, 3, 9_007_199_254_740_991),
  watchedCount: 3,
  shares: [
    { share: 1, halfLife: 2 },
    { share: 0.5, halfLife: Number.POSITIVE_INFINITY }
  ],
  views: Float32Array.of(9, 5, 1),
  freshness: Float32Array.of(1, 2, 0.5),
  recent: Float32Array.of(0, 1, 2, 3, 2, 2, 2, 2, 0, 0, 0, 0),
  weights: new Float64Array(featureCount(2)).fill(0.5),
  links: {
    starts: Uint32Array.of(0, 2, 4, 6),
    targets: Uint32Array.of(1, 2, 0, 2, 0, 1),
    tables: 2,
    weights: Float32Array.of(1, 6, 2, 5, 3, 4, 4, 3, 5, 2, 6, -1)
  }
})
const fileOf = (bytes: Uint8Array, head: unknown = { format: modelFormat, summary: { users: 5 } }) =>
  Buffer.concat([Buffer.from(`${typeof head === 'string' ? head : JSON.stringify(head)}\n`), bytes])
/** A model with one thing changed. */
const changed = (change: (model: StoredModel) => unknown) => {
  const one = model()
  change(one)
  return fileOf(packed(one))
}

t.test('a good model is taken as it is, whatever the length of its head', async t => {
  for (const summary of [{}, { a: 1 }, { a: 12 }, { a: 123 }])
    t.strictSame(readModelFile(fileOf(packed(model()), { format: modelFormat, summary })), { model: model(), summary })
  t.strictSame(readModelFile(fileOf(packed(model()), { format: modelFormat })).summary, {})
  const unweighted = { ...model(), weights: new Float64Array(0) }
  t.strictSame(readModelFile(fileOf(packed(unweighted))).model, unweighted, 'without weights, the first scores count')
})

const bytes = packed(model())
const refused: [what: string, file: Uint8Array, reason: RegExp][] = [
  ['an empty file', Buffer.alloc(0), /begin with a line of JSON/],
  ['without a head', Buffer.from(bytes), /begin with a line of JSON/],
  ['with a head of something else', fileOf(bytes, '[2]'), /begin with a line of JSON/],
  ['with a head without end', Buffer.alloc(100_000, ' '), /begin with a line of JSON/],
  ['an older format', fileOf(bytes, { format: modelFormat - 1 }), new RegExp(`has format ${modelFormat - 1}, not ${modelFormat}`)],
  ['a format in words', fileOf(bytes, { format: `${modelFormat}` }), /has format ".", not/],
  ['with a head alone', fileOf(new Uint8Array(0)), /has no titles/],
  ['a title without views', changed(({ views }) => views.fill(0, 1, 2)), /has no views/],
  ['a title that is never fresh', changed(({ freshness }) => freshness.fill(0, 1, 2)), /freshness of a title is not above 0/],
  ['recent views below 0', changed(({ recent }) => recent.fill(-1, 1, 2)), /recent views of a title are below 0/],
  ['with newcomers', changed(one => Object.assign(one, { watchedCount: 2 })), /nobody has watched/],
  ['with an impossible number of titles', fileOf(Buffer.from(Float64Array.of(1e9).buffer)), /size does not match/],
  ['a cut file', fileOf(bytes.subarray(0, -1)), /size does not match/],
  ['a longer file', fileOf(Buffer.concat([bytes, Buffer.alloc(8)])), /size does not match/],
  ['without titles', fileOf(Buffer.alloc(100)), /has no titles/],
  ['rows in disorder', changed(({ links }) => links.starts.set([4, 2], 1)), /starts of its rows do not ascend/],
  ['an id of 0', changed(({ ids }) => ids.fill(0, 1, 2)), /id of a title/],
  ['an id that is not whole', changed(({ ids }) => ids.fill(1.5, 1, 2)), /id of a title/],
  ['a title twice', changed(({ ids }) => ids.fill(7)), /contains a title twice/],
  ['a half-life of 0', changed(({ shares }) => Object.assign(shares[1] as Share, { halfLife: 0 })), /half-life/],
  ['a half-life that is no number', changed(({ shares }) => Object.assign(shares[0] as Share, { halfLife: Number.NaN })), /half-life/],
  ['an unknown neighbour', changed(({ links }) => links.targets.fill(3, 1, 2)), /neighbour is not one/],
  ['neighbours in disorder', changed(({ links }) => links.targets.set([2, 1])), /not in order/],
  ['a neighbour twice', changed(({ links }) => links.targets.set([2, 2])), /not in order/],
  ['a neighbour without end', changed(({ links }) => links.weights.fill(Number.POSITIVE_INFINITY)), /not a number/],
  ['a neighbour that is no number', changed(({ links }) => links.weights.fill(Number.NaN, 5, 6)), /not a number/],
  ['a share that is no number', changed(({ shares }) => Object.assign(shares[1] as Share, { share: Number.NaN })), /not a number/],
  ['freshness without end', changed(({ freshness }) => freshness.fill(Number.POSITIVE_INFINITY, 2)), /not a number/],
  ['recent views that are no number', changed(({ recent }) => recent.fill(Number.NaN, 11)), /not a number/],
  ['a weight that is no number', changed(({ weights }) => weights.fill(Number.NaN, 3, 4)), /not a number/],
  ['too few weights', changed(one => Object.assign(one, { weights: one.weights.subarray(1) })), /too many or too few weights/],
  ['too many weights', changed(one => Object.assign(one, { weights: new Float64Array(featureCount(3)) })), /too many or too few weights/],
  ['too large', Object.defineProperty(Buffer.alloc(0), 'byteLength', { value: largestModel + 1 }), /1073741825 bytes, more than 1073741824/]
]
t.test('a model that is wrong is refused with the reason', async t => {
  for (const [what, file, reason] of refused) t.throws(() => readModelFile(file), reason, what)
})
