/** The positive integer that a path segment names, or nothing: what is no id is not found, never a bad request. */
export const integerId = (text: string): number | undefined => {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}
