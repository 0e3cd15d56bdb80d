import { both, noMatch, type Pause } from './word-index.js'
import { type SearchWord, searchWordsOf } from './words.js'

/** Matches with typos are listed only if there are fewer matches without typos than this. */
const enough = 10

/** Lowers the quality of each row to that of its best match for a word. */
export type Match = (best: Uint8Array, word: SearchWord, withTypos: boolean) => Promise<void>

/** The rows that match all words of a search, and how well each row does. */
export interface Matches {
  rows: Int32Array
  qualities: Uint8Array
}

interface Wanted<Found> {
  search: string
  /** The number of rows. */
  size: number
  match: Match
  select: (matches: Matches) => Found | Promise<Found>
  pause: Pause
}

/** Selects from the rows that match all words. If there are few, selects again with typos allowed. */
export const selectMatches = async <Found extends { total: number }>({ search, size, match, select, pause }: Wanted<Found>) => {
  const words = searchWordsOf(search)
  const selected = async (withTypos: boolean) => select(await matchesOf(words, withTypos, size, match, pause))
  const selection = await selected(false)
  return selection.total < enough && words.some(({ typos }) => typos > 0) ? selected(true) : selection
}

const matchesOf = async (words: SearchWord[], withTypos: boolean, size: number, match: Match, pause: Pause) => {
  const matches: Matches = { rows: rowsOf(size), qualities: new Uint8Array(size) }
  const best = new Uint8Array(size)
  for (const word of words) {
    best.fill(noMatch)
    await match(best, word, withTypos)
    keepMatches(matches, best)
    if (matches.rows.length === 0) break
    await pause()
  }
  return matches
}

const rowsOf = (size: number) => {
  const rows = new Int32Array(size)
  for (let row = 0; row < size; row++) rows[row] = row
  return rows
}

/**
 * Drops the rows that do not match another word. A function of its own, because V8 runs loops in asynchronous functions several times more
 * slowly.
 */
const keepMatches = (matches: Matches, best: Uint8Array) => {
  const { rows, qualities } = matches
  let count = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    const quality = best[row] as number
    if (quality === noMatch) continue
    qualities[row] = both(qualities[row] as number, quality)
    rows[count++] = row
  }
  matches.rows = rows.subarray(0, count)
}
