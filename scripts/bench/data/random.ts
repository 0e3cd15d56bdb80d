/** Numbers that are the same in every run: mulberry32. */
export const randomFrom = (seed: number) => {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    /** A whole number from 0 to below the bound. */
    below: (bound: number) => Math.floor(next() * bound),
    /** One of several. */
    of: <T>(choices: readonly T[]) => choices[Math.floor(next() * choices.length)] as T
  }
}
export type Random = ReturnType<typeof randomFrom>
