const impossible = 100

/**
 * Counts the typos between what was typed and words: wrong, missing or extra letters, and swapped neighbours (optimal string alignment).
 * The words must come in sorted order, so that a common prefix is compared only once, and start with the first letter typed.
 */
export class TypoCounter {
  /** The last word, and how many of its letters were compared. */
  private last: string
  private compared = 1
  /** Whether no word that begins with these letters can match. */
  private isHopeless = false
  /** For each prefix of the word, the typos between it and each prefix of what was typed. */
  private readonly rows: Uint8Array[]
  /** For each length, the fewest typos between what was typed and a prefix of the word up to this length. */
  private readonly fewest: Uint8Array

  constructor(
    private readonly typed: string,
    private readonly allowed: number
  ) {
    const lengths = typed.length + allowed + 2
    this.rows = Array.from({ length: lengths }, () => new Uint8Array(typed.length + 1).fill(impossible))
    this.fewest = new Uint8Array(lengths).fill(impossible)
    // The first letters are the same. Any more typed letters are extra.
    for (let j = 1; j <= allowed + 1; j++) (this.rows[1] as Uint8Array)[j] = j - 1
    this.last = typed.charAt(0)
  }

  /** The typos between what was typed and the best prefix of the word, or undefined if there are too many. */
  count(word: string): { typos: number; isWhole: boolean } | undefined {
    const { last, rows, typed } = this
    let length = 1
    while (length < this.compared && word.charCodeAt(length) === last.charCodeAt(length)) length++
    if (length < this.compared) this.isHopeless = false
    while (length < word.length && !this.isHopeless) this.isHopeless = this.compare(word, ++length) > this.allowed
    this.last = word
    this.compared = length
    const typos = this.fewest[length] as number
    if (typos > this.allowed) return undefined
    return { typos, isWhole: length === word.length && (rows[length] as Uint8Array)[typed.length] === typos }
  }

  /** Fills the row for the first `length` letters of a word. Returns the fewest typos in it. */
  private compare(word: string, length: number) {
    const { typed, allowed, rows, fewest } = this
    const [row, above] = [rows[length] as Uint8Array, rows[length - 1] as Uint8Array]
    const letter = word.charCodeAt(length - 1)
    const before = word.charCodeAt(length - 2)
    let lowest = impossible
    // All other prefixes of what was typed differ too much in length.
    for (let j = Math.max(1, length - allowed); j <= Math.min(typed.length, length + allowed); j++) {
      const isWrong = letter === typed.charCodeAt(j - 1) ? 0 : 1
      let typos = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, (above[j - 1] as number) + isWrong)
      if (j > 2 && length > 2 && letter === typed.charCodeAt(j - 2) && before === typed.charCodeAt(j - 1))
        typos = Math.min(typos, ((rows[length - 2] as Uint8Array)[j - 2] as number) + 1)
      row[j] = typos
      lowest = Math.min(lowest, typos)
    }
    fewest[length] = Math.min(fewest[length - 1] as number, row[typed.length] as number)
    return lowest
  }
}
