import { type ContentDocument, toContent } from '../data/contents.js'
import { unavailable } from '../errors.js'
import { Kept } from '../kept.js'
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

/** Contents as they are sent, bounded in bytes. */
export class Fragments {
  hits = 0
  misses = 0
  private readonly kept: Kept<number, Fragment>

  constructor(
    private readonly skeleton: () => Skeleton,
    private readonly read: (ids: number[]) => Promise<ContentDocument[]>,
    bound: number
  ) {
    this.kept = new Kept(bound, ({ bytes }) => bytes.length + overhead)
  }

  /** The fragments of these contents in their order. */
  async of(ids: readonly number[]): Promise<Fragment[]> {
    const fragments = await this.known(ids)
    if (fragments.includes(undefined)) throw unavailable()
    return fragments as Fragment[]
  }

  /** The same, undefined where the database has no such content. Those that are missing here are read together in one query. */
  async known(ids: readonly number[]): Promise<(Fragment | undefined)[]> {
    const known = ids.map(id => this.valid(id))
    const missing = ids.filter((_, i) => !known[i])
    this.hits += ids.length - missing.length
    this.misses += missing.length
    if (missing.length === 0) return known

    const read = new Map<number, Fragment>()
    for (const content of await this.read([...new Set(missing)])) read.set(content._id, this.keep(content))
    return ids.map((id, i) => known[i] ?? read.get(id))
  }

  get bytes() {
    return this.kept.weight
  }

  /** A fragment holds while the skeleton knows no other stamp: one that was read just before a change is never kept for good. */
  private valid(id: number) {
    const fragment = this.kept.get(id)
    const row = this.skeleton().row(id)
    return fragment && row !== undefined && this.skeleton().stamp.raw(row) === fragment.stamp ? fragment : undefined
  }

  private keep(content: ContentDocument) {
    const fragment = fragmentOf(content)
    this.kept.put(content._id, fragment)
    return fragment
  }
}
