import type { Neighbours } from '../recommend/index.js'

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

/** Views on the bytes; nothing is copied. */
export const unpacked = (bytes: ArrayBuffer): Model => {
  const [items = 0, links = 0, halfLife = 0] = new Float64Array(bytes, 0, 3)
  const starts = headerSize + items * 8
  const targets = starts + (items + 1) * 4
  const weights = targets + links * 4
  return {
    ids: new Float64Array(bytes, headerSize, items),
    halfLife,
    neighbours: {
      starts: new Uint32Array(bytes, starts, items + 1),
      targets: new Uint32Array(bytes, targets, links),
      weights: new Float32Array(bytes, weights, links)
    }
  }
}
