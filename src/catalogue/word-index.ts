/** A word, and the entries that have it. */
interface Posting {
  word: string
  entries: number[]
}

/** All words that begin with a letter, and the entries that have one of them: a letter alone would go through many words. */
interface Letter {
  words: Posting[]
  entries: number[]
}

/** One reading of a content. */
interface Entry {
  id: number
  stamp: number
}

const firstLetter = (word: string) => word.charAt(0)

/**
 * An inverted index of the words of all contents. A content that changes gets a new entry, and its old one stays behind,
 * outdated, until it pays to make all lists again without such entries.
 */
export class WordIndex {
  private entries: Entry[] = []
  private readonly latest = new Map<number, number>()
  private readonly outdated = new Set<number>()
  private postings = new Map<string, Posting>()
  private letters = new Map<string, Letter>()

  has({ id, stamp }: Entry) {
    const entry = this.latest.get(id)
    return entry !== undefined && this.entries[entry]?.stamp === stamp
  }

  put(content: Entry, words: readonly string[]) {
    if (this.outdated.size > this.latest.size + 1000) this.dropOutdated()
    const before = this.latest.get(content.id)
    if (before !== undefined) this.outdated.add(before)
    const entry = this.entries.push(content) - 1
    this.latest.set(content.id, entry)
    for (const word of words) this.postingOf(word).entries.push(entry)
    for (const letter of new Set(words.map(firstLetter))) this.letters.get(letter)?.entries.push(entry)
  }

  /** The contents that have, for each of the wanted, a word that begins with one of its beginnings. */
  idsWith(wanted: readonly (readonly string[])[]): number[] {
    const size = this.entries.length
    // How many of the wanted an entry has, counted for as long as it lacks none.
    const met = new Uint8Array(size)
    for (const [before, beginnings] of wanted.entries()) {
      for (const entries of this.entriesWith(beginnings)) for (const entry of entries) if (met[entry] === before) met[entry] = before + 1
    }
    const ids: number[] = []
    for (let entry = 0; entry < size; entry++)
      if (met[entry] === wanted.length && !this.outdated.has(entry)) ids.push((this.entries[entry] as Entry).id)
    return ids
  }

  /** Lists of the entries that have a word with one of these beginnings; an entry may be in several. */
  private entriesWith(beginnings: readonly string[]) {
    return beginnings.flatMap(beginning => {
      const letter = this.letters.get(firstLetter(beginning))
      if (!letter) return []
      if (beginning.length === 1) return [letter.entries]
      return letter.words.filter(({ word }) => word.startsWith(beginning)).map(({ entries }) => entries)
    })
  }

  private postingOf(word: string) {
    const known = this.postings.get(word)
    if (known) return known
    const posting: Posting = { word, entries: [] }
    this.postings.set(word, posting)
    const letter = this.letters.get(firstLetter(word))
    if (letter) letter.words.push(posting)
    else this.letters.set(firstLetter(word), { words: [posting], entries: [] })
    return posting
  }

  private dropOutdated() {
    const { entries, postings, letters, outdated } = this
    const moved = new Map<number, number>()
    this.entries = []
    for (const [entry, content] of entries.entries())
      if (!outdated.has(entry)) {
        moved.set(entry, this.entries.push(content) - 1)
        this.latest.set(content.id, this.entries.length - 1)
      }
    outdated.clear()
    this.postings = new Map()
    this.letters = new Map()
    const movedOf = (list: number[]) => list.flatMap(entry => moved.get(entry) ?? [])
    for (const { word, entries } of postings.values()) {
      const kept = movedOf(entries)
      if (kept.length > 0) this.postingOf(word).entries = kept
    }
    for (const [letter, { entries }] of letters) {
      const known = this.letters.get(letter)
      if (known) known.entries = movedOf(entries)
    }
  }
}
