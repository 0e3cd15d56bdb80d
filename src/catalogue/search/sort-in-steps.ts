import type { Pause } from './word-index.js'

/** How many items are sorted, or merged, between two pauses: about a millisecond. */
const step = 1024

type Compare<T> = (one: T, other: T) => number

export const byCodeUnits: Compare<string> = (one, other) => (one < other ? -1 : one > other ? 1 : 0)

/** Sorts a part at a time, because sorting many items at once would block the event loop. */
export const sortInSteps = async <T>(items: readonly T[], compare: Compare<T>, pause: Pause): Promise<T[]> => {
  let runs: T[][] = []
  for (let at = 0; at < items.length; at += step) {
    runs.push(items.slice(at, at + step).sort(compare))
    await pause()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at] as T[], runs[at + 1] ?? [], compare, pause))
    runs = merged
  }
  return runs[0] ?? []
}

const merge = async <T>(one: T[], other: T[], compare: Compare<T>, pause: Pause) => {
  const merging = new Merging(one, other, compare)
  while (merging.goOn()) await pause()
  return merging.merged
}

class Merging<T> {
  readonly merged: T[] = []
  private at = 0
  private otherAt = 0

  constructor(
    private readonly one: readonly T[],
    private readonly other: readonly T[],
    private readonly compare: Compare<T>
  ) {}

  /** Returns whether there is more to do. */
  goOn() {
    const { merged, one, other, compare } = this
    const length = one.length + other.length
    const end = Math.min(merged.length + step, length)
    while (merged.length < end) {
      const isNext = this.otherAt === other.length || (this.at < one.length && compare(one[this.at] as T, other[this.otherAt] as T) <= 0)
      merged.push((isNext ? one[this.at++] : other[this.otherAt++]) as T)
    }
    return end < length
  }
}
