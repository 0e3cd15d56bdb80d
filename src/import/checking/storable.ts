/** MongoDB allows 100 levels in a whole document. */
const maxDepth = 50

/** Why MongoDB cannot store an object, or undefined if it can. */
export const unstorable = (value: unknown, depth = 0): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > maxDepth) return `must not be nested deeper than ${maxDepth} levels`
  for (const [key, inner] of Object.entries(value)) {
    if (key.includes('\0')) return 'must not have a key with a null character'
    const fault = unstorable(inner, depth + 1)
    if (fault) return fault
  }
  return undefined
}
