import { derived, type Skeleton } from './skeleton.js'

/** Deeper than a show, its seasons, episodes and extras. Without a limit, a cycle of parents would be followed forever. */
export const maxDepth = 8

/** Follows parents to the root. `parentOf` returns undefined for the root. */
export const topOf = (start: number, parentOf: (one: number) => number | undefined) => {
  let top = start
  for (let depth = 0; depth < maxDepth; depth++) {
    const above = parentOf(top)
    if (above === undefined) return top
    top = above
  }
  return top
}

/** Parents, children and the order of siblings. */
export class Tree {
  private readonly children = new Map<number, number[]>()
  /**
   * The row of the title of each row plus 1, or 0 until it is first needed. Following parents again for each element of a history would
   * take longer.
   */
  private readonly known: Int32Array

  constructor(private readonly skeleton: Skeleton) {
    this.known = new Int32Array(skeleton.size)
    for (let row = 0; row < skeleton.size; row++) {
      const parent = skeleton.parent.get(row)
      if (parent === null) continue
      const siblings = this.children.get(parent)
      if (siblings) siblings.push(row)
      else this.children.set(parent, [row])
    }
  }

  /** The root of an item's tree, such as its show, or the item itself. */
  title(row: number): number {
    const known = this.known[row] as number
    if (known > 0) return known - 1
    const title = topOf(row, above => this.skeleton.parentRow(above))
    this.known[row] = title + 1
    return title
  }

  /** The ancestors of an item, the nearest first. */
  *above(row: number): Generator<number> {
    let above = this.skeleton.parentRow(row)
    for (let depth = 0; above !== undefined && depth < maxDepth; depth++) {
      yield above
      above = this.skeleton.parentRow(above)
    }
  }

  /** Leaves out contents that are not in the catalogue. */
  titles(ids: Iterable<number>) {
    const titles = new Set<number>()
    for (const id of ids) {
      const title = this.titleOf(id)
      if (title !== undefined) titles.add(title)
    }
    return titles
  }

  /** The latest time of each title, whose contents may have been stored under several ids. */
  latest(times: Iterable<readonly [content_id: number, at: number]>) {
    const latest = new Map<number, number>()
    for (const [content_id, at] of times) {
      const title = this.titleOf(content_id)
      if (title !== undefined) latest.set(title, Math.max(at, latest.get(title) ?? 0))
    }
    return latest
  }

  /** The title of an item by id, or undefined if it is not in the catalogue. Earlier ids are followed. */
  titleOf(id: number) {
    const row = this.skeleton.currentRow(id)
    return row === undefined ? undefined : this.title(row)
  }

  /**
   * The items that follow in the same title, depth first. Only items of the same type, because an announced season or a trailer must not
   * follow an episode.
   */
  *after(row: number): Generator<number> {
    const { type } = this.skeleton
    let passed = false
    for (const next of this.descend(this.title(row), 0)) {
      if (next === row) passed = true
      else if (passed && type.get(next) === type.get(row)) yield next
    }
  }

  /** A title and everything that belongs to it, in the order of the show. */
  contents(title: number) {
    return this.descend(title, 0)
  }

  /** The episodes of a show or season, in order. */
  *episodes(row: number): Generator<number> {
    for (const below of this.descend(row, 0)) if (this.skeleton.type.get(below) === 'episode') yield below
  }

  private *descend(row: number, depth: number): Generator<number> {
    yield row
    if (depth > maxDepth) return
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

/** The tree of a skeleton, made again when an item has changed. */
export const treeOf = derived(skeleton => new Tree(skeleton))
