import { Content } from '../../schemas/content.js'
import { Cache } from '../cache.js'
import { unavailable } from '../errors.js'
import { Pacer } from '../overload/pacer.js'
import { Semaphore } from '../overload/semaphore.js'
import { isWireMoment } from '../time.js'
import { jsonParts, ownBytes } from './bytes.js'
import { type ContentDocument, toContent } from './content-documents.js'
import { wireFormOf } from './servable.js'
import type { Skeleton } from './skeleton.js'

/** An item in wire form without its closing brace, so that more fields can be appended. */
export interface Fragment {
  bytes: Buffer
  /** The `video_id` of a watchlist element. */
  handler_id: string
  name: string
  /** Only in the details of an item. As JSON, which takes less memory. */
  credits: string
  /** Identifies the version of the item. */
  stamp: number
}

/** Adds the closing brace to a fragment. */
export const contentJson = ({ bytes }: Fragment) => jsonParts<Content>([bytes, '}'])

/** An element with its content between the fields `before` and `after`. There must be at least one before. */
export const withContent = <Before extends object, After extends object>(before: Before, fragment: Fragment, after = {} as After) => {
  const rest = JSON.stringify(after).slice(1)
  return jsonParts<Before & { content: Content } & After>([
    `${JSON.stringify(before).slice(0, -1)},"content":`,
    fragment.bytes,
    rest === '}' ? '}}' : `},${rest}`
  ])
}

/** An element whose content comes first. */
export const contentThen = <More extends object>({ bytes }: Fragment, more: More) =>
  jsonParts<{ content: Content } & More>(['{"content":', bytes, `},${JSON.stringify(more).slice(1)}`])

/** An item with additional fields, at least one. */
export const withFields = <More extends object>({ bytes }: Fragment, more: More) =>
  jsonParts<Content & More>([bytes, `,${JSON.stringify(more).slice(1)}`])

/** Memory of a fragment besides its bytes: the buffer object and the fragment object. */
const overhead = 400

/** How many public responses may read from the database at once. */
const publicReads = 2

const contentForm = wireFormOf(Content, toContent)

/** Undefined if the content cannot be served. */
const fragmentOf = (content: ContentDocument): Fragment | undefined => {
  const wire = contentForm(content)
  if (!wire || ![content.stamp, content.updated_at].every(isWireMoment)) return undefined
  const { handler_id, name, stamp } = content
  const bytes = ownBytes(Buffer.from(JSON.stringify(wire).slice(0, -1)))
  return { bytes, handler_id, name, credits: JSON.stringify(content.credits ?? []), stamp: stamp.getTime() }
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
    this.cache = new Cache(
      bound,
      ({ bytes, handler_id, name, credits }) => bytes.length + 2 * (handler_id.length + name.length + credits.length) + overhead
    )
  }

  /** In the order of `ids`, with undefined for contents that are missing or cannot be served. One query reads all that are not cached. */
  async load(ids: readonly number[], run = <T>(read: () => Promise<T>) => read()): Promise<(Fragment | undefined)[]> {
    const cached = ids.map(id => this.cached(id))
    const uncached = ids.filter((_, i) => !cached[i])
    // Ids that the skeleton lacks are also read, because they may have just been imported.
    const toRead = uncached.filter(id => !this.source.skeleton().isBroken(id))
    this.hits += ids.length - uncached.length
    this.misses += toRead.length
    if (toRead.length === 0) return cached

    const loaded = await run(() => this.read([...new Set(toRead)]))
    return ids.map((id, i) => cached[i] ?? loaded.get(id))
  }

  /** Like `load`, but only a few calls read from the database at once, which leaves connections for viewers. */
  anyForPublic(ids: readonly number[]) {
    return this.load(ids, read => this.reads.run(read))
  }

  /** Like `anyForPublic`, but throws if any item is missing or cannot be served. */
  async forPublicList(ids: readonly number[]): Promise<Fragment[]> {
    const fragments = await this.anyForPublic(ids)
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

  /** A fragment must have the stamp of the skeleton, so that one read just before a change is not kept. */
  private cached(id: number) {
    const fragment = this.cache.get(id)
    const skeleton = this.source.skeleton()
    const row = skeleton.row(id)
    return fragment && row !== undefined && skeleton.stamp.raw(row) === fragment.stamp ? fragment : undefined
  }

  private async read(ids: number[]) {
    const fragments = new Map<number, Fragment>()
    const broken: number[] = []
    const stamps = new Map(ids.map(id => [id, this.source.skeleton().stampOf(id)]))
    for await (const content of this.source.read(ids)) {
      await this.pacer.pause()
      const fragment = fragmentOf(content)
      if (!fragment) {
        broken.push(content._id)
        continue
      }
      fragments.set(content._id, fragment)
      this.cache.set(content._id, fragment)
    }
    this.source.onBroken(broken)
    // Contents that were not found are marked as broken, so that not every request reads them again, unless their stamps have changed
    // meanwhile: then they may be valid by now. `markBroken` ignores ids that the skeleton lacks, which may have just been imported.
    const skeleton = this.source.skeleton()
    for (const [id, stamp] of stamps) if (!fragments.has(id) && skeleton.stampOf(id) === stamp) skeleton.markBroken(id)
    return fragments
  }
}
