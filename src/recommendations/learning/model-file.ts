import { largestModel, modelFormat, type StoredModel, unpacked } from '../stored-model.js'

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
