import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { Data } from '../database/data.js'
import type { Lease } from '../database/leases.js'
import { minutes, seconds } from '../time.js'
import { type MovedList, movedLists, type Replaced } from './moves.js'

/** When elements of earlier ids are searched for once more, because processes that had not read the change may have written some. */
const settlesAfter = seconds(10)
/** How often they are searched for after that, because a process may have been suspended. */
const checkedEvery = minutes(5)

/** How many earlier ids are handled at once. */
const idsAtOnce = 100
/** How many steps in a row may fail to change anything. Viewers seldom change an element at that very moment. */
const mostAttempts = 20
/** The pause after a step, as a part of the time that the step took, so that viewers have most of the database. */
const restShare = 0.5

interface MoverOptions {
  catalogue: Pick<Catalogue, 'skeleton' | 'contentsRevision'>
  data: Pick<Data, 'moves' | 'leases'>
  onMoved: (list: MovedList, count: number) => void
}

/** Moves viewers' elements of replaced items to the items that have replaced them. Runs in one process at a time. */
export class Mover {
  private doneRevision = -1
  private nextAt = 0

  constructor(private readonly options: MoverOptions) {}

  /** Whether elements of replaced items may be left to move, as far as this process knows. */
  get isDue() {
    return this.options.catalogue.contentsRevision !== this.doneRevision
  }

  /** Moves whatever is due. Returns how many elements were moved. */
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
    // Without the lease: another process is moving the elements, and may not finish.
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
      if (attempts === mostAttempts) throw new Error(`Elements of ${list} cannot be moved to the ids that have replaced theirs`)
      await sleep((performance.now() - began) * restShare)
    }
    return moved
  }
}

/** All earlier ids of an item are in the same portion. */
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
