/** Valid UTF-8 has no lone surrogates, so only a record with such an escape needs a check. */
const surrogateEscape = /\\ud[89a-f]/i

/** Lone surrogates, by field. MongoDB would replace them: two ids could become one, and a second run would find neither. */
export const malformedTexts = (json: string, record: unknown): Map<string, string> | undefined => {
  if (!surrogateEscape.test(json)) return undefined
  const faults = new Map<string, string>()
  // A work list instead of recursion, because free-form objects may be nested deeper than the stack.
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
