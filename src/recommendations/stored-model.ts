import type { Blend } from './model/neighbours.js'
import type { HalfLives } from './model/scorer.js'

/** The version of the packed format. Raise it with every change, so that processes of both versions can run side by side. */
export const modelFormat = 3

/** In bytes. Every process holds a model in memory, and a second one while it loads it. */
export const largestModel = 1024 ** 3

/** The part of a trained model that is stored and used for recommendations. */
export interface StoredModel {
  /** The content id of each item. */
  ids: Float64Array
  /** How many items somebody has watched. Those after them are newcomers. */
  watched: number
  halfLives: HalfLives
  /** What comes next and, on the second side, what is liked. */
  links: Blend
}

const headerSize = 5 * 8

/** Writes a header with the sizes, then the arrays. */
export const packed = ({ ids, watched, halfLives, links: { starts, targets, first, second } }: StoredModel): Uint8Array => {
  const arrays = [
    Float64Array.of(ids.length, targets.length, watched, halfLives.next, halfLives.liked),
    ids,
    starts,
    targets,
    first,
    second
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
  const [items, size, watched, next, liked] = new Float64Array(bytes, 0, 5) as unknown as [number, number, number, number, number]
  const starts = headerSize + items * 8
  const targets = starts + (items + 1) * 4
  const first = targets + size * 4
  const second = first + size * 4
  if (bytes.byteLength !== second + size * 4) throw new Error('Its size does not match its header')
  const links = {
    starts: new Uint32Array(bytes, starts, items + 1),
    targets: new Uint32Array(bytes, targets, size),
    first: new Float32Array(bytes, first, size),
    second: new Float32Array(bytes, second, size)
  }
  if (!(watched >= 0 && watched <= items)) throw new Error(`Its header says that ${watched} of its ${items} titles were watched`)
  if (!areRows(links.starts, size)) throw new Error('The starts of its rows do not ascend, or do not cover its links')
  return { ids: new Float64Array(bytes, headerSize, items), watched, halfLives: { next, liked }, links }
}

/** Wrong bounds of a row could make the scorer loop almost forever. Wrong values within a row do no harm. */
const areRows = (starts: Uint32Array, links: number) =>
  starts[0] === 0 && starts.at(-1) === links && starts.every((start, row) => row === 0 || start >= (starts[row - 1] as number))
