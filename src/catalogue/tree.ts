import type { Skeleton } from './skeleton.js'

/** Deeper than show, season, episode and something below. */
const deepest = 8

/** Which contents are children of which, and in what order they follow each other. */
export class Tree {
  private readonly children = new Map<number, number[]>()

  constructor(private readonly skeleton: Skeleton) {
    for (let row = 0; row < skeleton.size; row++) {
      const parent = skeleton.parent.get(row)
      if (parent === null) continue
      const siblings = this.children.get(parent)
      if (siblings) siblings.push(row)
      else this.children.set(parent, [row])
    }
  }

  /** The title that a content belongs to: itself where it has no parent. */
  title(row: number): number {
    let top = row
    for (let depth = 0; depth < deepest; depth++) {
      const parent = this.skeleton.parent.get(top)
      const above = parent === null ? undefined : this.skeleton.row(parent)
      if (above === undefined) return top
      top = above
    }
    return top
  }

  /**
   * What follows a content in its title, down the tree, one by one. It is of the same type: types are any words,
   * but what follows an episode is neither a season that was announced nor a trailer below an episode.
   */
  *after(row: number): Generator<number> {
    const { type } = this.skeleton
    let passed = false
    for (const next of this.descend(this.title(row), 0)) {
      if (next === row) passed = true
      else if (passed && type.get(next) === type.get(row)) yield next
    }
  }

  private *descend(row: number, depth: number): Generator<number> {
    yield row
    if (depth > deepest) return
    for (const child of this.sorted(row)) yield* this.descend(child, depth + 1)
  }

  private sorted(row: number) {
    const { position, starts, id } = this.skeleton
    const last = Number.MAX_VALUE
    return (this.children.get(this.skeleton.idOf(row)) ?? []).sort(
      (a, b) => (position.get(a) ?? last) - (position.get(b) ?? last) || starts.raw(a) - starts.raw(b) || id.raw(a) - id.raw(b)
    )
  }
}
