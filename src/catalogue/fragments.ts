import { Content } from '../../schemas/content.js'
import { type ContentDocument, toContent } from '../data/contents.js'
import { unavailable } from '../errors.js'
import { Kept } from '../kept.js'
import { Turns } from '../overload/turns.js'
import { isWireMoment } from '../time.js'
import { type Fragment, ownBytes } from './bytes.js'
import type { Skeleton } from './skeleton.js'
import { wireFormOf } from './wire-form.js'

/** What a fragment takes besides its bytes: the buffer around them and the object. */
const overhead = 400

/** How many public lists read from the database at once. */
const publicReads = 2

const contentForm = wireFormOf(Content, toContent)

/** Undefined where a content cannot be sent. */
const fragmentOf = (content: ContentDocument): Fragment | undefined => {
  const wire = contentForm(content)
  if (!wire || !isWireMoment(content.stamp)) return undefined
  const { handler_id, name, stamp } = content
  return { bytes: ownBytes(Buffer.from(JSON.stringify(wire).slice(0, -1))), handler_id, name, stamp: stamp.getTime() }
}

interface Source {
  skeleton: () => Skeleton
  read: (ids: number[]) => Promise<ContentDocument[]>
  /** Told of contents that were read and cannot be sent. */
  onBroken: (ids: number[]) => void
}

/** Contents as they are sent, bounded in bytes. */
export class Fragments {
  hits = 0
  misses = 0
  private readonly kept: Kept<number, Fragment>
  private readonly turns = new Turns(publicReads)

  constructor(
    private readonly source: Source,
    bound: number
  ) {
    this.kept = new Kept(bound, ({ bytes, handler_id, name }) => bytes.length + 2 * (handler_id.length + name.length) + overhead)
  }

  /** The fragments of these contents in their order. */
  async of(ids: readonly number[], read = this.source.read): Promise<Fragment[]> {
    const fragments = await this.known(ids, read)
    if (fragments.includes(undefined)) throw unavailable()
    return fragments as Fragment[]
  }

  /** The same for public lists: few of them read from the database at once, so that a crowd of new lists leaves room for viewers. */
  inTurn(ids: readonly number[]) {
    return this.of(ids, missing => this.turns.take(() => this.source.read(missing)))
  }

  /** The same, undefined where the database has no such content that can be sent. Those that are missing here are read together in one query. */
  async known(ids: readonly number[], read = this.source.read): Promise<(Fragment | undefined)[]> {
    const known = ids.map(id => this.valid(id))
    const missing = ids.filter((_, i) => !known[i])
    this.hits += ids.length - missing.length
    this.misses += missing.length
    if (missing.length === 0) return known

    const found = await this.fetch([...new Set(missing)], read)
    return ids.map((id, i) => known[i] ?? found.get(id))
  }

  get bytes() {
    return this.kept.weight
  }

  /** A fragment holds while the skeleton knows no other stamp: one that was read just before a change is never kept for good. */
  private valid(id: number) {
    const fragment = this.kept.get(id)
    const skeleton = this.source.skeleton()
    const row = skeleton.row(id)
    return fragment && row !== undefined && skeleton.stamp.raw(row) === fragment.stamp ? fragment : undefined
  }

  private async fetch(ids: number[], read: Source['read']) {
    const fragments = new Map<number, Fragment>()
    const broken: number[] = []
    for (const content of await read(ids)) {
      const fragment = fragmentOf(content)
      if (!fragment) {
        broken.push(content._id)
        continue
      }
      fragments.set(content._id, fragment)
      this.kept.put(content._id, fragment)
    }
    this.source.onBroken(broken)
    // What was known and is not there any more would be asked for again and again.
    const skeleton = this.source.skeleton()
    for (const id of ids) if (!fragments.has(id)) skeleton.close(id)
    return fragments
  }
}
