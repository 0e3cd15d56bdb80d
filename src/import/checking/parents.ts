import type { Db } from 'mongodb'
import type { ContentDocument } from '../../data/contents.js'
import { inBatches } from '../batches.js'
import type { ReportFault } from '../kind.js'
import { Table } from '../table.js'
import { operationTimeout } from '../timeouts.js'
import type { KnownIds } from './known-ids.js'

/** Longer cycles are cut in the report. */
const stepsShown = 10

/** Checks that the parents of the run's contents exist, and that no content is its own ancestor. */
export class Parents {
  private readonly parents = new Table(1, 1)

  constructor(
    private readonly db: Db,
    private readonly ids: KnownIds
  ) {}

  add(id: number, parent: number) {
    this.parents.add([id], parent)
  }

  async check(report: ReportFault) {
    await this.checkExistence(report)
    await this.checkCycles(report)
  }

  private *links() {
    for (const { key, values } of this.parents.entries()) yield { id: key[0], parent: values[0] as number }
  }

  private placeOf(id: number) {
    return this.ids.given.get(0, id) as number
  }

  private async checkExistence(report: ReportFault) {
    const orphans: { place: number; parent: number }[] = []
    for (const batch of inBatches(this.links())) {
      const missing = await this.ids.missing(batch.map(({ parent }) => parent))
      for (const { id, parent } of batch) if (missing.has(parent)) orphans.push({ place: this.placeOf(id), parent })
    }
    orphans.sort((one, other) => one.place - other.place)
    for (const { place, parent } of orphans) report(place, 'parent_id', `there is no content ${parent}`)
  }

  private async checkCycles(report: ReportFault) {
    const stored = await this.storedParents()
    const checked = new Table(1)
    for (const { id } of this.links()) {
      const path = new Set<number>()
      let at: number | undefined = id
      while (at !== undefined && !checked.has(at) && !path.has(at)) {
        path.add(at)
        at = (this.ids.given.has(at) ? this.parents : stored).get(0, at)
      }
      if (at !== undefined && path.has(at)) this.reportCycle([...path].slice([...path].indexOf(at)), report)
      for (const step of path) checked.add([step])
    }
  }

  /** The parents of the contents in the database that are ancestors of the run's contents. */
  private async storedParents() {
    const { given } = this.ids
    const stored = new Table(1, 1)
    let level = new Set<number>()
    for (const { parent } of this.links()) if (!given.has(parent)) level.add(parent)
    while (level.size > 0) {
      const above = new Set<number>()
      for (const batch of inBatches(level)) {
        const found = this.db
          .collection<ContentDocument>('contents')
          .find({ _id: { $in: batch } }, { ...operationTimeout, projection: { parent_id: 1 } })
        for await (const { _id, parent_id } of found) {
          if (parent_id === null) continue
          stored.add([_id], parent_id)
          if (!given.has(parent_id) && !stored.has(parent_id)) above.add(parent_id)
        }
      }
      level = above
    }
    return stored
  }

  private reportCycle(cycle: number[], report: ReportFault) {
    const first = cycle.find(id => this.ids.given.has(id)) as number
    const steps = cycle.length > stepsShown ? [...cycle.slice(0, stepsShown), '...'] : cycle
    report(this.placeOf(first), 'parent_id', `makes a cycle of parents: ${[...steps, cycle[0]].join(' > ')}`)
  }
}
