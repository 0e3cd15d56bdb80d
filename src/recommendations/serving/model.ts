import type { Neighbours } from '../model/index.js'

/** Of the bytes below. A change of them takes another number, so that processes of both versions can run side by side. */
export const modelFormat = 1

/** What was learnt from all histories: which titles speak for which. */
export interface Model {
  /** The content of each item of the model. */
  ids: Float64Array
  /** After how many newer titles one of a history counts half. */
  halfLife: number
  neighbours: Neighbours
}

const headerSize = 3 * 8

/** The arrays one after the other, behind their sizes. */
export const packed = ({ ids, halfLife, neighbours: { starts, targets, weights } }: Model): Uint8Array => {
  const arrays = [Float64Array.of(ids.length, targets.length, halfLife), ids, starts, targets, weights]
  const bytes = new Uint8Array(arrays.reduce((size, { byteLength }) => size + byteLength, 0))
  let at = 0
  for (const { buffer, byteOffset, byteLength } of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += byteLength
  }
  return bytes
}

/** Views on the bytes; nothing is copied. Throws where they are none of a model. */
export const unpacked = (bytes: ArrayBuffer): Model => {
  const [items, links, halfLife] = new Float64Array(bytes, 0, 3) as unknown as [number, number, number]
  const starts = headerSize + items * 8
  const targets = starts + (items + 1) * 4
  const weights = targets + links * 4
  if (bytes.byteLength !== weights + links * 4) throw new Error('Its bytes are not as many as they say')
  const neighbours = {
    starts: new Uint32Array(bytes, starts, items + 1),
    targets: new Uint32Array(bytes, targets, links),
    weights: new Float32Array(bytes, weights, links)
  }
  if (!areRows(neighbours.starts, links)) throw new Error('Its neighbours are no rows')
  return { ids: new Float64Array(bytes, headerSize, items), halfLife, neighbours }
}

/** Scoring goes from row to row: where one led beyond the others, it would not come back. What is wrong within a row does no harm. */
const areRows = (starts: Uint32Array, links: number) =>
  starts[0] === 0 && starts.at(-1) === links && starts.every((start, row) => row === 0 || start >= (starts[row - 1] as number))
