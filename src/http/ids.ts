/** Parses the id in a path. Returns undefined for anything else, because a malformed id is a 404, not a 400. */
export const integerId = (text: string): number | undefined => {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}
