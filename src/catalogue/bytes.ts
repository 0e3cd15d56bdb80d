import { createHash } from 'node:crypto'
import { Content } from '../../schemas/content.js'
import type { Meta } from '../../schemas/page.js'
import { Cache } from '../cache.js'
import { type ContentDocument, toContent } from '../data/contents.js'
import { unavailable } from '../errors.js'
import type { ok } from '../http/reply.js'
import { Pacer } from '../overload/pacer.js'
import { Semaphore } from '../overload/semaphore.js'
import { isWireMoment } from '../time.js'
import { wireFormOf } from './servable.js'
import type { Skeleton } from './skeleton.js'

declare const value: unique symbol

/** A `T` as JSON, ready to send. The type lets the compiler check it against the schema of a route. */
export type Json<T> = (Buffer | Pieces) & { readonly [value]: T }

type Part = string | Buffer

/** Texts and bytes that, joined, are a `T` as JSON. */
export type JsonParts<T> = Part[] & { readonly [value]: T }

/** Asserts that the parts are a `T` as JSON, which the compiler cannot check. */
export const jsonParts = <T>(parts: Part[]) => parts as JsonParts<T>

export const json = <T>(value: T) => jsonParts<T>([JSON.stringify(value)])

/** Parts of an answer before they are copied into one buffer. Their fragments are those of the cache. */
export class Pieces {
  length = 0
  private readonly pieces: Part[] = []

  /** Adjacent texts are joined first, because measuring and writing each takes a call. */
  constructor(parts: Part[]) {
    let text = ''
    for (const part of parts) {
      if (typeof part === 'string') text += part
      else {
        this.pieces.push(text, part)
        text = ''
      }
    }
    this.pieces.push(text)
    for (const piece of this.pieces) this.length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
  }

  joined(buffer: Buffer = Buffer.allocUnsafe(this.length)) {
    let at = 0
    for (const piece of this.pieces) at += typeof piece === 'string' ? buffer.write(piece, at) : piece.copy(buffer, at)
    return at === buffer.length ? buffer : buffer.subarray(0, at)
  }

  hash() {
    const hash = createHash('sha1')
    for (const piece of this.pieces) hash.update(piece)
    return hash.digest('base64')
  }
}

/** In bytes. Larger answers are joined only to be sent (docs/decisions/043). */
const largest = 64 * 1024

const ready = <T>(parts: JsonParts<T>) => {
  const pieces = new Pieces(parts)
  return (pieces.length > largest ? pieces : pieces.joined()) as Json<T>
}

/** The body of a public response. Empty ones are not cached, because callers can ask for any number of them. */
export interface AnswerBody<T> {
  bytes: Json<T>
  isEmpty: boolean
  /** When it becomes outdated, even if no content opens or closes. */
  until?: number
}

export const jsonAnswer = <T>(value: T, isEmpty = false): AnswerBody<T> => ({
  bytes: new Pieces(json(value)).joined() as Json<T>,
  isEmpty
})

/** Bytes with memory of their own. A small buffer is a slice of a pool and keeps the whole pool alive. */
export const ownBytes = <Bytes extends Buffer | Pieces>(bytes: Bytes) => {
  if (bytes instanceof Pieces || bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own as Bytes
}

/** Closes the brace that a fragment leaves open. */
export const contentJson = ({ bytes }: Fragment) => jsonParts<Content>([bytes, '}'])

/** An element with its content, between the fields `before` and `after`. There must be at least one before. */
export const withContent = <Before extends object, After extends object>(before: Before, fragment: Fragment, after = {} as After) => {
  const rest = JSON.stringify(after).slice(1)
  return jsonParts<Before & { content: Content } & After>([
    `${JSON.stringify(before).slice(0, -1)},"content":`,
    fragment.bytes,
    rest === '}' ? '}}' : `},${rest}`
  ])
}

/** A content with additional fields, at least one. */
export const withFields = <More extends object>({ bytes }: Fragment, more: More) =>
  jsonParts<Content & More>([bytes, `,${JSON.stringify(more).slice(1)}`])

export const list = <T>(elements: JsonParts<T>[]) => {
  const parts: Part[] = []
  for (const element of elements) parts.push(parts.length === 0 ? '[' : ',', ...element)
  parts.push(parts.length === 0 ? '[]' : ']')
  return jsonParts<T[]>(parts)
}

type Ok<T> = ReturnType<typeof ok<T>>
type Page<T, M> = Ok<{ collection: T[]; meta: M }>

export const okBytes = <T>(data: JsonParts<T>) => ready(jsonParts<Ok<T>>(['{"success":true,"data":', ...data, '}']))

/** A list that is not paged, and until when it holds. */
export const listAnswer = <T>(elements: JsonParts<T>[], until: number): AnswerBody<Ok<T[]>> => ({
  bytes: okBytes(list(elements)),
  isEmpty: elements.length === 0,
  until
})

export const pageBytes = <T, M extends Partial<Meta>>(elements: JsonParts<T>[], meta: M) =>
  ready(jsonParts<Page<T, M>>(['{"success":true,"data":{"collection":', ...list(elements), `,"meta":${JSON.stringify(meta)}}}`]))

export const pageAnswer = <T, M extends Partial<Meta>>(elements: JsonParts<T>[], meta: M): AnswerBody<Page<T, M>> => ({
  bytes: pageBytes(elements, meta),
  isEmpty: elements.length === 0
})

/** A content in wire form without its closing brace, so that more fields can be appended. */
export interface Fragment {
  bytes: Buffer
  /** The `video_id` of a watchlist element. */
  handler_id: string
  name: string
  stamp: number
}

/** Memory of a fragment besides its bytes: the buffer object and the fragment object. */
const overhead = 400

/** How many public lists may read from the database at once. */
const publicReads = 2

const contentForm = wireFormOf(Content, toContent)

/** Undefined if the content cannot be served. */
const fragmentOf = (content: ContentDocument): Fragment | undefined => {
  const wire = contentForm(content)
  if (!wire || !isWireMoment(content.stamp)) return undefined
  const { handler_id, name, stamp } = content
  return { bytes: ownBytes(Buffer.from(JSON.stringify(wire).slice(0, -1))), handler_id, name, stamp: stamp.getTime() }
}

interface Source {
  skeleton: () => Skeleton
  read: (ids: number[]) => AsyncIterable<ContentDocument>
  /** Called with contents that cannot be served. */
  onBroken: (ids: number[]) => void
}

/** A cache of contents in wire form. */
export class Fragments {
  hits = 0
  misses = 0
  private readonly cache: Cache<number, Fragment>
  private readonly reads = new Semaphore(publicReads)
  private readonly pacer = new Pacer()

  constructor(
    private readonly source: Source,
    bound: number
  ) {
    this.cache = new Cache(bound, ({ bytes, handler_id, name }) => bytes.length + 2 * (handler_id.length + name.length) + overhead)
  }

  /** In the order of `ids`, with undefined for contents that are missing or cannot be served. One query reads all that are not cached. */
  async load(ids: readonly number[], run = <T>(read: () => Promise<T>) => read()): Promise<(Fragment | undefined)[]> {
    const cached = ids.map(id => this.cached(id))
    // An id that the skeleton lacks may have just been imported.
    const missing = ids.filter((id, i) => !cached[i] && !this.source.skeleton().isHidden(id))
    this.hits += ids.length - missing.length
    this.misses += missing.length
    if (missing.length === 0) return cached

    const loaded = await run(() => this.read([...new Set(missing)]))
    return ids.map((id, i) => cached[i] ?? loaded.get(id))
  }

  /** Like `load`, but only a few calls read from the database at once, which leaves connections for viewers. */
  anyForPublicList(ids: readonly number[]) {
    return this.load(ids, read => this.reads.run(read))
  }

  /** Like `anyForPublicList`, but throws if any content is missing or cannot be served. */
  async forPublicList(ids: readonly number[]): Promise<Fragment[]> {
    const fragments = await this.anyForPublicList(ids)
    if (fragments.includes(undefined)) throw unavailable()
    return fragments as Fragment[]
  }

  /** Only what is cached. Never queries the database. */
  known(ids: readonly number[]) {
    return ids.map(id => this.cached(id))
  }

  get bytes() {
    return this.cache.weight
  }

  /** A fragment must have the stamp of the skeleton, so that one read just before a change does not stay. */
  private cached(id: number) {
    const fragment = this.cache.get(id)
    const skeleton = this.source.skeleton()
    const row = skeleton.row(id)
    return fragment && row !== undefined && skeleton.stamp.raw(row) === fragment.stamp ? fragment : undefined
  }

  private async read(ids: number[]) {
    const fragments = new Map<number, Fragment>()
    const broken: number[] = []
    for await (const content of this.source.read(ids)) {
      await this.pacer.pause()
      const fragment = fragmentOf(content)
      if (!fragment) {
        broken.push(content._id)
        continue
      }
      fragments.set(content._id, fragment)
      this.cache.put(content._id, fragment)
    }
    this.source.onBroken(broken)
    // Otherwise every request would try to read these contents again.
    const skeleton = this.source.skeleton()
    for (const id of ids) if (!fragments.has(id)) skeleton.hide(id)
    return fragments
  }
}
