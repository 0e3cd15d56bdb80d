import type { ContentDocument } from '../catalogue/content-documents.js'
import { currentIdIn, earlierIdsIn } from '../catalogue/skeleton.js'
import { revisionsOf } from '../database/revisions.js'
import { Table } from '../table.js'
import type { ImportRun, ReportFault } from './kind.js'

interface Claim {
  id: number
  earlier: number
  place: number
}

/** Which id replaces each earlier id, before and after the run. */
export class Replacements {
  private readonly claims: Claim[] = []
  private readonly claimed = new Set<number>()
  private stored: Map<number, number> | undefined
  private final = new Map<number, number>()
  /** The earlier ids of contents, by their current id. */
  private earlier: ReadonlyMap<number, readonly number[]> = new Map()
  private revision = -1
  private readonly revisions: ReturnType<typeof revisionsOf>

  constructor(private readonly run: ImportRun) {
    this.revisions = revisionsOf(run.db)
  }

  /** Adds the earlier ids that a record names. */
  add(id: number, replaces: readonly number[], place: number, report: ReportFault) {
    for (const earlier of new Set(replaces)) {
      if (earlier === id) report(place, 'replaces', 'must not contain the id of the content itself')
      else this.claims.push({ id, earlier, place })
      this.claimed.add(earlier)
    }
  }

  async check(report: ReportFault) {
    const stored = await this.load()
    const claims = new Map<number, Claim>()
    const final = new Map<number, number>()
    for (const claim of this.claims) {
      const { id, earlier, place } = claim
      const other = claims.get(earlier)
      if (other) report(place, 'replaces', `content ${earlier} is already replaced`, other.place)
      else claims.set(earlier, claim)
      if (!this.isReplaced(id)) final.set(earlier, id)
    }
    for (const [earlier, id] of stored) {
      // The list of the record replaces the stored one.
      if (this.run.ids.contents.given.has(id) && !this.isReplaced(id)) continue
      const claim = claims.get(earlier)
      if (claim && claim.id !== id) report(claim.place, 'replaces', `content ${earlier} is already replaced by content ${id}`)
      final.set(earlier, id)
    }
    // Even a record that changes nothing must not contradict the others.
    for (const cycle of cyclesIn(claims.keys(), id => claims.get(id)?.id ?? final.get(id))) {
      const claim = cycle.map(id => claims.get(id)).find(found => found !== undefined)
      if (claim) report(claim.place, 'replaces', `makes a cycle: ${cycleText(cycle)}`)
    }
    this.final = final
    this.earlier = earlierIdsIn(final)
  }

  /** Whether an item was replaced before the run and still is. Its record then changes nothing. */
  isReplaced(id: number) {
    const { given } = this.run.ids.contents
    const passed = new Set<number>()
    let at = id
    for (;;) {
      const successor = this.stored?.get(at)
      if (successor === undefined || passed.has(at)) return false
      if (this.claimed.has(at) || !given.has(successor)) return true
      // The record of the successor no longer names it, unless that record changes nothing.
      passed.add(at)
      at = successor
    }
  }

  /** Replaces earlier ids in viewers' records by the current ones. */
  async apply(records: { content_id: number | null }[]) {
    await this.refresh()
    for (const record of records) if (record.content_id !== null) record.content_id = this.currentId(record.content_id)
  }

  /** The current id of an item. Call `apply` first. */
  readonly currentId = (id: number) => currentIdIn(this.final, id)

  /** An id, and all earlier ids that it replaces. */
  readonly allIdsOf = (id: number) => [id, ...(this.earlier.get(id) ?? [])]

  /** Rereads the catalogue if another import has changed it, which may happen while this one writes viewers' data. */
  private async refresh() {
    const revision = (await this.revisions.read()).get('contents') ?? 0
    if (revision === this.revision) return
    await this.check(() => undefined)
    this.revision = revision
  }

  private async load() {
    const stored = new Map<number, number>()
    const replacing = { replaces: { $gt: 0 } }
    const found = this.run.db
      .collection<ContentDocument>('contents')
      .find<Pick<ContentDocument, '_id' | 'replaces'>>(replacing, { projection: { replaces: 1 } })
    for await (const { _id, replaces } of found) for (const earlier of replaces as number[]) stored.set(earlier, _id)
    this.stored = stored
    return stored
  }
}

/** The cycles that can be reached from these ids. */
export function* cyclesIn(starts: Iterable<number>, next: (id: number) => number | undefined): Generator<number[]> {
  const checked = new Table(1)
  for (const start of starts) {
    const path = new Set<number>()
    let at: number | undefined = start
    while (at !== undefined && !checked.has(at) && !path.has(at)) {
      path.add(at)
      at = next(at)
    }
    if (at !== undefined && path.has(at)) yield [...path].slice([...path].indexOf(at))
    for (const step of path) checked.add([step])
  }
}

/** Longer cycles are cut. */
const stepsShown = 10

export const cycleText = (cycle: number[]) =>
  [...(cycle.length > stepsShown ? [...cycle.slice(0, stepsShown), '...'] : cycle), cycle[0]].join(' > ')
