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

/** A model that was trained elsewhere. It knows only titles that somebody has watched. */
export interface ForeignModel {
  model: StoredModel
  /** How many users have watched each title. */
  views: Uint32Array
  summary: Record<string, unknown>
}

const lineFeed = 0x0a
const longestHead = 64 * 1024

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const headOf = (file: Uint8Array) => {
  const end = file.subarray(0, longestHead).indexOf(lineFeed)
  try {
    const head: unknown = JSON.parse(new TextDecoder().decode(file.subarray(0, Math.max(end, 0))))
    if (isObject(head)) return { head, end }
  } catch {}
  throw new Error('It does not begin with a line of JSON')
}

/** Reads a line of JSON with the format and a summary, the bytes as they are stored, and the views. Throws if anything is wrong. */
export const readModelFile = (file: Uint8Array): ForeignModel => {
  if (file.byteLength > largestModel) throw new Error(`It has ${file.byteLength} bytes, more than ${largestModel}`)
  const { head, end } = headOf(file)
  if (head.format !== modelFormat) throw new Error(`It has format ${JSON.stringify(head.format)}, not ${modelFormat}`)
  // Copied, because numbers in arrays must not begin at odd addresses.
  const { buffer, byteLength } = new Uint8Array(file.subarray(end + 1))
  const titles = byteLength < 8 ? 0 : (new Float64Array(buffer, 0, 1)[0] as number)
  if (!(titles > 0)) throw new Error('It has no titles')
  const viewsAt = byteLength - titles * 4
  if (!(viewsAt > 0 && viewsAt % 4 === 0)) throw new Error('Its size does not match its header')
  const model = unpacked(buffer.slice(0, viewsAt))
  const views = new Uint32Array(buffer, viewsAt)
  check(model)
  if (!views.every(count => count > 0)) throw new Error('A title has no views')
  return { model, views, summary: isObject(head.summary) ? head.summary : {} }
}

/** Refuses a model that the service could load, but that would recommend badly. */
const check = ({ ids, watched, halfLives, links: { starts, targets, first, second } }: StoredModel) => {
  if (watched !== ids.length) throw new Error('It has titles that nobody has watched')
  if (!ids.every(id => Number.isSafeInteger(id) && id > 0)) throw new Error('An id of a title is not a whole number above 0')
  if (new Set(ids).size < ids.length) throw new Error('It contains a title twice')
  if (!Object.values(halfLives).every(halfLife => halfLife > 0)) throw new Error('A half-life is not above 0')
  if (!targets.every(target => target < ids.length)) throw new Error('A neighbour is not one of its titles')
  for (let row = 0; row < ids.length; row++)
    for (let at = (starts[row] as number) + 1; at < (starts[row + 1] as number); at++)
      if ((targets[at] as number) <= (targets[at - 1] as number)) throw new Error('The neighbours of a title are not in order')
  if (![first, second].every(weights => weights.every(Number.isFinite))) throw new Error('The weight of a neighbour is not a number')
}
