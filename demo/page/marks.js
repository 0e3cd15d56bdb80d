import { h } from './dom.js'

/** @typedef {import('./viewer.js').Content} Content */

/** Removes case and accents. @param {string} text */
const fold = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
const run = /[\p{L}\p{N}\p{M}]+/gu
const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** @param {string} text */
const wordsOf = text => fold(text).match(run) ?? []

/** How many typos a typed word may have, as the service counts them. @param {string} typed */
const allowed = typed => (/\p{N}/u.test(typed) || withoutSpaces.test(typed) ? 0 : typed.length >= 9 ? 2 : typed.length >= 5 ? 1 : 0)

/**
 * Where a word matches what was typed: the range of letters, and the typos. Undefined if it does not match.
 * @param {string} word
 * @param {string} typed
 * @returns {{ from: number, to: number, typos: number } | undefined}
 */
const match = (word, typed) => {
  const from = withoutSpaces.test(typed) ? word.indexOf(typed) : word.startsWith(typed) ? 0 : -1
  if (from >= 0) return { from, to: from + typed.length, typos: 0 }
  if (allowed(typed) === 0) return undefined
  /** Wrong, missing, extra and swapped letters. The first letter counts twice. @type {number[][]} */
  const rows = []
  for (let i = 0; i <= word.length; i++) {
    /** @type {number[]} */
    const row = []
    for (let j = 0; j <= typed.length; j++) {
      /** @param {number} up @param {number} left */
      const at = (up, left) => (up === 0 ? row : rows[i - up])?.[j - left] ?? Number.POSITIVE_INFINITY
      const isSame = word[i - 1] === typed[j - 1]
      const isExchanged = i > 1 && j > 1 && word[i - 1] === typed[j - 2] && word[i - 2] === typed[j - 1]
      row[j] = Math.min(
        i === 0 && j === 0 ? 0 : Number.POSITIVE_INFINITY,
        at(1, 0) + (i === 1 ? 2 : 1),
        at(0, 1) + (j === 1 ? 2 : 1),
        at(1, 1) + (isSame ? 0 : i === 1 || j === 1 ? 2 : 1),
        isExchanged ? at(2, 2) + (i === 2 || j === 2 ? 2 : 1) : Number.POSITIVE_INFINITY
      )
    }
    rows.push(row)
  }
  const counts = rows.map(row => /** @type {number} */ (row[typed.length]))
  const typos = Math.min(...counts)
  return typos <= allowed(typed) ? { from: 0, to: counts.lastIndexOf(typos), typos } : undefined
}

/**
 * Whether a title was found only because typos are allowed.
 * @param {Content} content
 * @param {string} search
 */
export const isClose = ({ name, title, keywords, description }, search) => {
  const words = wordsOf([name, ...Object.values(title), keywords, ...Object.values(description)].join(' '))
  return wordsOf(search).some(typed => {
    const typos = words.flatMap(word => match(word, typed)?.typos ?? [])
    return typos.length > 0 && !typos.includes(0)
  })
}

/**
 * The text, with the searched letters marked.
 * @param {string} text
 * @param {string} search
 */
export const marked = (text, search) => {
  const typed = wordsOf(search)
  /** @type {(string | Node)[]} */
  const parts = []
  let end = 0
  for (const { 0: word, index } of text.matchAll(run)) {
    const best = typed.flatMap(one => match(fold(word), one) ?? []).sort((a, b) => a.typos - b.typos || b.to - a.to)[0]
    if (!best) continue
    // Folding may change the length, so letters are counted one by one.
    const letters = [...word]
    /** @param {number} count */
    const lengthOf = count => {
      let n = 0
      while (n < letters.length && fold(letters.slice(0, n).join('')).length < count) n++
      return letters.slice(0, n).join('').length
    }
    const [from, to] = [index + lengthOf(best.from), index + lengthOf(best.to)]
    parts.push(text.slice(end, from), h('mark', {}, text.slice(from, to)))
    end = to
  }
  return [...parts, text.slice(end)]
}
