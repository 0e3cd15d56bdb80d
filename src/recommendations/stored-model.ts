import { periods, type Ranking } from './model/index.js'

/** The version of the packed format. Increment it with every change, so that processes of both versions can run side by side. */
export const modelFormat = 5

/** In bytes. Every process keeps a model in memory, and two while it loads a new one. */
export const largestModel = 1024 ** 3

/** The part of a trained model that is stored and used for recommendations. */
export interface StoredModel extends Ranking {
  /** The content id of each item. */
  ids: Float64Array
  /** How many items anyone has watched. Those after them are newcomers. */
  watchedCount: number
}

const headerLength = 5

/** Writes a header with the sizes, then the arrays. */
export const packed = ({ ids, watchedCount, links, shares, views, freshness, recent, weights }: StoredModel): Uint8Array => {
  const arrays = [
    Float64Array.of(ids.length, links.targets.length, watchedCount, links.tables, weights.length),
    Float64Array.from(shares.flatMap(({ share, halfLife }) => [share, halfLife])),
    weights,
    ids,
    views,
    freshness,
    recent,
    links.starts,
    links.targets,
    links.weights
  ]
  const bytes = new Uint8Array(arrays.reduce((size, { byteLength }) => size + byteLength, 0))
  let at = 0
  for (const { buffer, byteOffset, byteLength } of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += byteLength
  }
  return bytes
}

/** Returns views on the bytes, without copying. Throws if they are not a model. */
export const unpacked = (bytes: ArrayBuffer): StoredModel => {
  if (bytes.byteLength < 8 * headerLength) throw new Error('Its size does not match its header')
  const header = new Float64Array(bytes, 0, headerLength)
  const [items, size, watchedCount, tables, features] = header as unknown as [number, number, number, number, number]
  let at = header.byteLength
  const next = <T>(Numbers: { new (bytes: ArrayBuffer, at: number, length: number): T; BYTES_PER_ELEMENT: number }, length: number) => {
    const from = at
    at += length * Numbers.BYTES_PER_ELEMENT
    return () => new Numbers(bytes, from, length)
  }
  const shares = next(Float64Array, 2 * tables)
  const weights = next(Float64Array, features)
  const ids = next(Float64Array, items)
  const views = next(Float32Array, items)
  const freshness = next(Float32Array, items)
  const recent = next(Float32Array, items * periods.length)
  const starts = next(Uint32Array, items + 1)
  const targets = next(Uint32Array, size)
  const linkWeights = next(Float32Array, size * tables)
  if (bytes.byteLength !== at) throw new Error('Its size does not match its header')
  if (!(watchedCount >= 0 && watchedCount <= items))
    throw new Error(`Its header says that ${watchedCount} of its ${items} titles were watched`)
  if (!areRows(starts(), size)) throw new Error('The starts of its rows do not ascend, or do not cover its links')
  return {
    ids: ids(),
    watchedCount,
    links: { starts: starts(), targets: targets(), tables, weights: linkWeights() },
    shares: pairsOf(shares()),
    views: views(),
    freshness: freshness(),
    recent: recent(),
    weights: weights()
  }
}

const pairsOf = (numbers: Float64Array) =>
  Array.from({ length: numbers.length / 2 }, (_, at) => ({ share: numbers[2 * at] as number, halfLife: numbers[2 * at + 1] as number }))

/** Checks the bounds of rows, because wrong ones could make the scorer loop almost forever. Wrong values within a row do no harm. */
const areRows = (starts: Uint32Array, links: number) =>
  starts[0] === 0 && starts.at(-1) === links && starts.every((start, row) => row === 0 || start >= (starts[row - 1] as number))
