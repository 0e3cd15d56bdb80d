import type { ContentRecord } from '../../../schemas/import.js'
import type { ContentDocument } from '../../catalogue/content-documents.js'
import { Table } from '../../table.js'
import type { ImportRun, ReportFault } from '../kind.js'
import { inBatches } from '../records.js'
import type { Replacements } from '../replacements.js'

/** In a shorter file, a type that occurs only once is not suspicious. */
const linesForTypes = 20

const above = new Set(['season', 'show'])

type Warning = readonly [id: number, field: string, reason: string]

/** Frequent mistakes: items that are not on the page of any show, episodes without an order, misspelt types. */
export class ContentWarnings {
  /** The names of the types. Tables hold indexes into this list. */
  private readonly types: string[] = []
  private readonly typeNumbers = new Map<string, number>()
  private readonly lines: number[] = []
  private total = 0
  private readonly typeOf = new Table(1, 1)
  /** Seasons and episodes without a parent. */
  private readonly parentless = new Table(1)
  /** Items with an episode that has a position. */
  private readonly ordered = new Table(1)
  /** The parents of the episodes that have no position. */
  private readonly unordered = new Table(1, 1)

  constructor(
    private readonly run: ImportRun,
    private readonly replacements: Replacements
  ) {}

  add({ id, type, parent_id, position }: ContentRecord) {
    const number = this.numberOf(type)
    this.typeOf.add([id], number)
    this.total++
    this.lines[number] = (this.lines[number] ?? 0) + 1
    if (!parent_id) {
      if (type === 'episode' || type === 'season') this.parentless.add([id])
    } else if (type === 'episode') {
      if (typeof position === 'number') this.ordered.add([parent_id])
      else this.unordered.add([id], parent_id)
    }
  }

  /** In no particular order. */
  async report(report: ReportFault) {
    for (const rule of [this.ofParentless(), this.ofParents(), this.ofTypes(), this.ofPositions()])
      for await (const [id, field, reason] of rule)
        if (!this.replacements.isReplaced(id)) report(this.run.ids.contents.given.get(0, id) as number, field, reason)
  }

  private *ofParentless(): Generator<Warning> {
    for (const [id] of this.parentless.pairs()) yield [id, 'parent_id', `is missing: this ${this.nameOf(id)} is on no page of a show`]
  }

  /** Contents whose parent is neither a show nor a season. */
  private async *ofParents(): AsyncGenerator<Warning> {
    for (const batch of inBatches(this.run.contents.parents.pairs())) {
      const stored = await this.storedTypes(batch.flatMap(([, parent]) => (this.typeOf.has(parent) ? [] : parent)))
      for (const [id, parent] of batch) {
        const type = this.nameOf(parent) ?? (stored.get(parent) as string)
        if (!above.has(type)) yield [id, 'parent_id', `content ${parent} has the type ${type}, so it is neither a show nor a season`]
      }
    }
  }

  /** Types that occur on only one line. */
  private async *ofTypes(): AsyncGenerator<Warning> {
    const single = this.types.filter((_, number) => this.lines[number] === 1)
    if (this.total < linesForTypes || single.length === 0) return
    const known = new Set(await this.contents.distinct('type', { type: { $in: single } }))
    for (const [id, number] of this.typeOf.pairs()) {
      const type = this.types[number] as string
      if (this.lines[number] === 1 && !known.has(type)) yield [id, 'type', `no other content has the type ${type}`]
    }
  }

  /** Episodes without a position among siblings that have one. */
  private async *ofPositions(): AsyncGenerator<Warning> {
    await this.addStoredPositions()
    for (const [id, parent] of this.unordered.pairs())
      if (this.ordered.has(parent)) yield [id, 'position', `is missing, while other episodes of content ${parent} have one`]
  }

  /** Adds the positions of siblings that are only in the database. */
  private async addStoredPositions() {
    const { ids, pruned } = this.run
    const areKnown = [...this.unordered.pairs()].every(([, parent]) => this.ordered.has(parent))
    if (areKnown || pruned.has('contents')) return
    const filter = { type: 'episode', position: { $ne: null }, parent_id: { $ne: null }, deleted_at: null }
    const found = this.contents.find(filter, { projection: { parent_id: 1 }, batchSize: 10_000 })
    for await (const { _id, parent_id } of found) if (!ids.contents.given.has(_id)) this.ordered.add([parent_id as number])
  }

  private get contents() {
    return this.run.db.collection<ContentDocument>('contents')
  }

  private async storedTypes(ids: number[]) {
    const types = new Map<number, string>()
    if (ids.length === 0) return types
    for await (const { _id, type } of this.contents.find({ _id: { $in: ids } }, { projection: { type: 1 } })) types.set(_id, type)
    return types
  }

  private numberOf(type: string) {
    const known = this.typeNumbers.get(type)
    if (known !== undefined) return known
    this.typeNumbers.set(type, this.types.length)
    return this.types.push(type) - 1
  }

  /** The type of an item of the run. */
  private nameOf(id: number) {
    const number = this.typeOf.get(0, id)
    return number === undefined ? undefined : this.types[number]
  }
}
