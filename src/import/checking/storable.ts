/** MongoDB takes a hundred levels in all. */
const deepest = 50

/** What keeps an object of free form from being stored. */
export const unstorable = (value: unknown, depth = 0): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > deepest) return `must not be deeper than ${deepest} levels`
  for (const [key, inner] of Object.entries(value)) {
    if (key.includes('\0')) return 'must have no key with a zero character'
    const fault = unstorable(inner, depth + 1)
    if (fault) return fault
  }
  return undefined
}
