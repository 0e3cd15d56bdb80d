/** A word, and the entries that have it. */
interface Posting {
  word: string
  entries: number[]
}

/** One reading of a content. */
interface Entry {
  id: number
  stamp: number
}

/**
 * An inverted index of the words of all contents. A content that changes gets a new entry, and its old one stays behind,
 * outdated, until it pays to make all lists again without such entries.
 */
export class WordIndex {
  private entries: Entry[] = []
  private readonly latest = new Map<number, number>()
  private readonly outdated = new Set<number>()
  private postings = new Map<string, Posting>()
  private byFirstLetter = new Map<string, Posting[]>()

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
  }

  /** The contents that have, for each of the wanted, a word that begins with one of its beginnings. */
  idsWith(wanted: readonly (readonly string[])[]): number[] {
    // How many of the wanted an entry has, counted for as long as it lacks none.
    const met = new Uint8Array(this.entries.length)
    for (const [before, beginnings] of wanted.entries()) {
      for (const { entries } of this.beginningWith(beginnings))
        for (const entry of entries) if (met[entry] === before) met[entry] = before + 1
    }
    const ids: number[] = []
    for (const [entry, { id }] of this.entries.entries()) if (met[entry] === wanted.length && !this.outdated.has(entry)) ids.push(id)
    return ids
  }

  private beginningWith(beginnings: readonly string[]) {
    return beginnings.flatMap(beginning =>
      (this.byFirstLetter.get(beginning.charAt(0)) ?? []).filter(({ word }) => word.startsWith(beginning))
    )
  }

  private postingOf(word: string) {
    const known = this.postings.get(word)
    if (known) return known
    const posting: Posting = { word, entries: [] }
    this.postings.set(word, posting)
    const alike = this.byFirstLetter.get(word.charAt(0))
    if (alike) alike.push(posting)
    else this.byFirstLetter.set(word.charAt(0), [posting])
    return posting
  }

  private dropOutdated() {
    const { entries, postings, outdated } = this
    const moved = new Map<number, number>()
    this.entries = []
    for (const [entry, content] of entries.entries())
      if (!outdated.has(entry)) {
        moved.set(entry, this.entries.push(content) - 1)
        this.latest.set(content.id, this.entries.length - 1)
      }
    outdated.clear()
    this.postings = new Map()
    this.byFirstLetter = new Map()
    for (const { word, entries } of postings.values()) {
      const kept = entries.flatMap(entry => moved.get(entry) ?? [])
      if (kept.length > 0) this.postingOf(word).entries = kept
    }
  }
}
