import { type ContentDocument, toContent } from '../data/contents.js'
import { unavailable } from '../errors.js'
import type { Skeleton } from './skeleton.js'

/** The wire form of a content without its closing brace, so that fields of the request can be joined to it. */
export interface Fragment {
  bytes: Buffer
  /** The media on its platform: the `video_id` of a watchlist element. */
  handler_id: string
  name: string
  stamp: number
}

/** What a buffer and its place in the map take besides its bytes. */
const overhead = 200

export const fragmentOf = (content: ContentDocument): Fragment => ({
  bytes: Buffer.from(JSON.stringify(toContent(content)).slice(0, -1)),
  handler_id: content.handler_id,
  name: content.name,
  stamp: content.stamp.getTime()
})

/** Contents as they are sent, bounded in bytes; the one that was not asked for longest goes first. */
export class Fragments {
  private readonly kept = new Map<number, Fragment>()
  private bytes = 0

  constructor(
    private readonly skeleton: () => Skeleton,
    private readonly read: (ids: number[]) => Promise<ContentDocument[]>,
    private readonly bound: number
  ) {}

  /** The fragments of these contents in their order; those that are missing are read together in one query. */
  async of(ids: readonly number[]): Promise<Fragment[]> {
    const found = new Map<number, Fragment>()
    const missing: number[] = []
    for (const id of ids) {
      const fragment = this.valid(id)
      if (fragment) found.set(id, fragment)
      else missing.push(id)
    }
    if (missing.length > 0) {
      for (const content of await this.read([...new Set(missing)])) found.set(content._id, this.keep(content))
    }
    return ids.map(id => {
      const fragment = found.get(id)
      if (!fragment) throw unavailable()
      return fragment
    })
  }

  /** A fragment holds while the skeleton knows no other stamp: one that was read just before a change is never kept for good. */
  private valid(id: number) {
    const fragment = this.kept.get(id)
    if (!fragment) return undefined
    const row = this.skeleton().row(id)
    this.drop(id, fragment)
    if (row === undefined || this.skeleton().stamp.raw(row) !== fragment.stamp) return undefined
    this.add(id, fragment)
    return fragment
  }

  private keep(content: ContentDocument) {
    const fragment = fragmentOf(content)
    const before = this.kept.get(content._id)
    if (before) this.drop(content._id, before)
    this.add(content._id, fragment)
    for (const [id, oldest] of this.kept) {
      if (this.bytes <= this.bound) break
      this.drop(id, oldest)
    }
    return fragment
  }

  private add(id: number, fragment: Fragment) {
    this.kept.set(id, fragment)
    this.bytes += fragment.bytes.length + overhead
  }

  private drop(id: number, fragment: Fragment) {
    this.kept.delete(id)
    this.bytes -= fragment.bytes.length + overhead
  }
}
