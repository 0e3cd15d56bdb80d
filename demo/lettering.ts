const wide = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|\p{Extended_Pictographic}/u
/** The width of a bold character in a wide font, in ems, because the viewer's font is unknown. */
const emsOf = (character: string) =>
  wide.test(character) ? 1 : /[\p{Lu}mwMW–—]/u.test(character) ? 0.82 : /[\s.,:;'!|ijltfrI]/.test(character) ? 0.4 : 0.67
const ems = (text: string) => [...text].reduce((sum, character) => sum + emsOf(character), 0)

/** Wraps words into lines of at most `limit` ems. Longer words are broken. */
const wrap = (text: string, limit: number) => {
  const rows: string[] = []
  let row = ''
  const flush = () => {
    if (row) rows.push(row)
    row = ''
  }
  for (const word of text.split(/\s+/u)) {
    if (row && ems(`${row} ${word}`) > limit) flush()
    if (row) row += ' '
    for (const character of word) {
      if (ems(row + character) > limit) flush()
      row += character
    }
  }
  flush()
  return rows
}

/** Wraps into as few lines as the limit allows, of about equal width. */
const wrapEvenly = (text: string, limit: number) => {
  let rows = wrap(text, limit)
  for (let narrower = limit - 0.5; narrower > 0; narrower -= 0.5) {
    const tighter = wrap(text, narrower)
    if (tighter.length > rows.length || text.split(/\s+/u).some(word => ems(word) > narrower)) break
    rows = tighter
  }
  return rows
}

const sizes = [64, 56, 48, 42, 36]

/** Sets a name as large as a number of lines allows. A longer name ends in an ellipsis. */
export const setName = (name: string, width: number, lines: number) => {
  const wordFits = (size: number) => name.split(/\s+/u).every(word => ems(word) * size <= width)
  const setAt = (size: number) => ({ size, rows: wrapEvenly(name, width / size) })
  const fitting = sizes
    .filter(wordFits)
    .map(setAt)
    .find(({ rows }) => rows.length <= lines)
  if (fitting) return fitting
  const { size, rows } = setAt(36)
  if (rows.length <= lines) return { size, rows }
  const last = [...String(rows[lines - 1])].slice(0, -1).join('').trimEnd()
  return { size, rows: [...rows.slice(0, lines - 1), `${last}…`] }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
/** Escapes text for XML and removes characters that XML cannot contain. */
export const escapeXml = (text: string) =>
  text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '').replace(/[&<>"']/g, character => entities[character] ?? '')
