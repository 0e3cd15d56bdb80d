/** Deeper than a show, its seasons, episodes and extras. Without a limit, a cycle of parents would be followed forever. */
export const maxDepth = 8

/** Climbs to the top ancestor. `parentOf` returns undefined at the top. */
export const topOf = (start: number, parentOf: (one: number) => number | undefined) => {
  let top = start
  for (let depth = 0; depth < maxDepth; depth++) {
    const above = parentOf(top)
    if (above === undefined) return top
    top = above
  }
  return top
}
