import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { Data } from '../database/data.js'
import type { Lease } from '../database/leases.js'
import { minutes, seconds } from '../time.js'
import { type MovedList, movedLists, type Replaced } from './moves.js'

/** When elements of earlier ids are looked for once more: processes that had not read the change may have written some. */
const settlesAfter = seconds(10)
/** How often they are looked for after that, because a process may have stood still. */
const checkedEvery = minutes(5)

/** How many earlier ids are handled at once. */
const idsAtOnce = 100
/** How often in a row nothing may come of a step. Viewers seldom change an element at that very moment. */
const mostAttempts = 20
/** How long it rests after a step: this part of the time that the step took, so that viewers have most of the database. */
const restShare = 0.5

interface MoverOptions {
  catalogue: Pick<Catalogue, 'skeleton' | 'contentsRevision'>
  data: Pick<Data, 'moves' | 'leases'>
  onMoved: (list: MovedList, count: number) => void
}

/** Moves what viewers have of contents that were replaced to the contents that have replaced them. One process at a time does it. */
export class Mover {
  private doneRevision = -1
  private nextAt = 0

  constructor(private readonly options: MoverOptions) {}

  /** Whether contents were replaced and the elements of viewers are not moved yet, as far as this process knows. */
  get isDue() {
    return this.options.catalogue.contentsRevision !== this.doneRevision
  }

  /** Moves what there is to move. Returns how many elements were moved. */
  async check(signal: AbortSignal) {
    const { catalogue, data } = this.options
    if (!this.isDue && Date.now() < this.nextAt) return 0
    const revision = catalogue.contentsRevision
    const { skeleton } = catalogue
    const { idsVersion } = skeleton
    const replaced = skeleton.replaced()
    const isOutdated = () => signal.aborted || catalogue.skeleton.idsVersion !== idsVersion
    let moved = 0
    if (replaced.size === 0) {
      this.doneRevision = revision
      this.nextAt = Number.POSITIVE_INFINITY
      return 0
    }
    const restFor = await data.leases.withLease('moves', async ({ confirm }) => {
      const state = await data.moves.state()
      const isKnown = state?.revision === revision
      const rest = isKnown ? (state.isSettled ? checkedEvery : settlesAfter) - state.age : 0
      if (rest > 0) return rest
      moved = await this.moveAll(replaced, confirm, isOutdated)
      if (isOutdated()) return 0
      await data.moves.save(revision, isKnown)
      return isKnown ? checkedEvery : settlesAfter
    })
    // Without the lease, another process is moving them, and may not complete it.
    if (!restFor) return moved
    this.doneRevision = revision
    this.nextAt = Date.now() + restFor
    return moved
  }

  private async moveAll(replaced: Replaced, confirm: Lease['confirm'], isOutdated: () => boolean) {
    let moved = 0
    for (const list of movedLists)
      for (const some of portions(replaced))
        moved += await this.moveSome(list, () => this.options.data.moves.step(list, some, confirm), isOutdated)
    return moved
  }

  /** Takes steps until nothing is left to move. */
  private async moveSome(list: MovedList, takeStep: () => ReturnType<Data['moves']['step']>, isOutdated: () => boolean) {
    let moved = 0
    for (let attempts = 0; !isOutdated(); ) {
      const began = performance.now()
      const step = await takeStep()
      if (step.found === 0) break
      moved += step.moved
      this.options.onMoved(list, step.moved)
      attempts = step.changed > 0 ? 0 : attempts + 1
      if (attempts === mostAttempts) throw new Error(`Elements of ${list} cannot be moved to the contents that have replaced theirs`)
      await sleep((performance.now() - began) * restShare)
    }
    return moved
  }
}

/** All earlier ids of a content are in one portion. */
function* portions(replaced: Replaced): Generator<Replaced> {
  let portion = new Map<number, readonly number[]>()
  let size = 0
  for (const [id, earlier] of replaced) {
    portion.set(id, earlier)
    size += earlier.length
    if (size < idsAtOnce) continue
    yield portion
    portion = new Map()
    size = 0
  }
  if (size > 0) yield portion
}
