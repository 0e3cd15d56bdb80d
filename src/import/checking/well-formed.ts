/** UTF-8 has no half of a surrogate pair: only an escape writes one, and records without such an escape cost no look. */
const surrogateEscape = /\\ud[89a-f]/i

/** The texts that MongoDB would store as others, by field: two of them could become one, and a second run would find neither. */
export const malformedTexts = (json: string, record: unknown): Map<string, string> | undefined => {
  if (!surrogateEscape.test(json)) return undefined
  const faults = new Map<string, string>()
  // A list that grows, for what is of free form may be deeper than the stack.
  const values = [{ field: '', value: record }]
  for (const { field, value } of values) {
    if (typeof value === 'string' && !value.isWellFormed()) faults.set(field, 'must be well-formed text')
    if (typeof value !== 'object' || value === null) continue
    for (const [key, inner] of Object.entries(value)) {
      if (key.isWellFormed()) values.push({ field: field === '' ? key : `${field}.${key}`, value: inner })
      else faults.set(field, 'must have only keys of well-formed text')
    }
  }
  return faults.size > 0 ? faults : undefined
}
