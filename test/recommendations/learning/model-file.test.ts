import t from 'tap'
import { readModelFile } from '../../../src/recommendations/learning/model-file.js'
import { largestModel, modelFormat, packed, type StoredModel } from '../../../src/recommendations/stored-model.js'

/** Three titles, each with the two others for neighbours. */
const model = (): StoredModel => ({
  ids: Float64Array.of(7, 3, 9_007_199_254_740_991),
  watched: 3,
  halfLives: { next: 2, liked: Number.POSITIVE_INFINITY },
  links: {
    starts: Uint32Array.of(0, 2, 4, 6),
    targets: Uint32Array.of(1, 2, 0, 2, 0, 1),
    first: Float32Array.of(1, 2, 3, 4, 5, 6),
    second: Float32Array.of(6, 5, 4, 3, 2, -1)
  }
})
const viewed = Uint32Array.of(9, 5, 1)
const bytesOf = (one: StoredModel, views = viewed) => Buffer.concat([packed(one), new Uint8Array(views.buffer)])
const fileOf = (bytes: Uint8Array, head: unknown = { format: modelFormat, summary: { users: 5 } }) =>
  Buffer.concat([Buffer.from(`${typeof head === 'string' ? head : JSON.stringify(head)}\n`), bytes])
/** A model with one thing changed. */
const changed = (change: (model: StoredModel) => unknown) => {
  const one = model()
  change(one)
  return fileOf(bytesOf(one))
}

t.test('a good model is taken as it is, whatever the length of its head', async t => {
  for (const summary of [{}, { a: 1 }, { a: 12 }, { a: 123 }])
    t.strictSame(readModelFile(fileOf(bytesOf(model()), { format: modelFormat, summary })), { model: model(), views: viewed, summary })
  t.strictSame(readModelFile(fileOf(bytesOf(model()), { format: modelFormat })).summary, {})
})

const bytes = bytesOf(model())
const refused: [what: string, file: Uint8Array, reason: RegExp][] = [
  ['an empty file', Buffer.alloc(0), /begin with a line of JSON/],
  ['without a head', Buffer.from(bytes), /begin with a line of JSON/],
  ['with a head of something else', fileOf(bytes, '[2]'), /begin with a line of JSON/],
  ['with a head without end', Buffer.alloc(100_000, ' '), /begin with a line of JSON/],
  ['an older format', fileOf(bytes, { format: modelFormat - 1 }), new RegExp(`has format ${modelFormat - 1}, not ${modelFormat}`)],
  ['a format in words', fileOf(bytes, { format: `${modelFormat}` }), /has format ".", not/],
  ['with a head alone', fileOf(new Uint8Array(0)), /has no titles/],
  ['without views', fileOf(packed(model())), /size does not match/],
  ['a title without views', fileOf(bytesOf(model(), Uint32Array.of(1, 0, 1))), /has no views/],
  ['with newcomers', changed(one => Object.assign(one, { watched: 2 })), /nobody has watched/],
  ['with an impossible number of titles', fileOf(Buffer.from(Float64Array.of(1e9).buffer)), /size does not match/],
  ['a cut file', fileOf(bytes.subarray(0, -1)), /size does not match/],
  ['a longer file', fileOf(Buffer.concat([bytes, Buffer.alloc(8)])), /size does not match/],
  ['without titles', fileOf(Buffer.alloc(100)), /has no titles/],
  ['rows in disorder', changed(({ links }) => links.starts.set([4, 2], 1)), /starts of its rows do not ascend/],
  ['an id of 0', changed(({ ids }) => ids.fill(0, 1, 2)), /id of a title/],
  ['an id that is not whole', changed(({ ids }) => ids.fill(1.5, 1, 2)), /id of a title/],
  ['a title twice', changed(({ ids }) => ids.fill(7)), /contains a title twice/],
  ['a half-life of 0', changed(({ halfLives }) => Object.assign(halfLives, { liked: 0 })), /half-life/],
  ['a half-life that is no number', changed(({ halfLives }) => Object.assign(halfLives, { next: Number.NaN })), /half-life/],
  ['an unknown neighbour', changed(({ links }) => links.targets.fill(3, 1, 2)), /neighbour is not one/],
  ['neighbours in disorder', changed(({ links }) => links.targets.set([2, 1])), /not in order/],
  ['a neighbour twice', changed(({ links }) => links.targets.set([2, 2])), /not in order/],
  ['what comes next without end', changed(({ links }) => links.first.fill(Number.POSITIVE_INFINITY)), /not a number/],
  ['what is liked that is no number', changed(({ links }) => links.second.fill(Number.NaN, 5)), /not a number/],
  ['too large', Object.defineProperty(Buffer.alloc(0), 'byteLength', { value: largestModel + 1 }), /1073741825 bytes, more than 1073741824/]
]
t.test('a model that is wrong is refused with the reason', async t => {
  for (const [what, file, reason] of refused) t.throws(() => readModelFile(file), reason, what)
})
