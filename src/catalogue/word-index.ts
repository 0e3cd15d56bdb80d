/** A word and the numbers of the entries that have it. */
interface Posting {
  word: string
  entryNumbers: number[]
}

/** The words with one first letter, and the entries that have any of them: a search for one letter reads a single list. */
interface Bucket {
  words: Posting[]
  entryNumbers: number[]
}

/** A content as of one stamp. */
interface Entry {
  id: number
  stamp: number
}

const firstLetter = (word: string) => word.charAt(0)

/** An inverted index of the words of all contents. A changed content gets a new entry; rebuilds drop its outdated ones. */
export class WordIndex {
  private entries: Entry[] = []
  private readonly latest = new Map<number, number>()
  private readonly outdated = new Set<number>()
  private postings = new Map<string, Posting>()
  private buckets = new Map<string, Bucket>()

  has({ id, stamp }: Entry) {
    const entry = this.latest.get(id)
    return entry !== undefined && this.entries[entry]?.stamp === stamp
  }

  put(content: Entry, words: readonly string[]) {
    if (this.outdated.size > this.latest.size + 1000) this.rebuild()
    const before = this.latest.get(content.id)
    if (before !== undefined) this.outdated.add(before)
    const entry = this.entries.push(content) - 1
    this.latest.set(content.id, entry)
    for (const word of words) this.postingOf(word).entryNumbers.push(entry)
    for (const letter of new Set(words.map(firstLetter))) this.buckets.get(letter)?.entryNumbers.push(entry)
  }

  /** Finds the contents that have a match for each item of `wanted`: a word with one of its prefixes. */
  idsWith(wanted: readonly (readonly string[])[]): number[] {
    const size = this.entries.length
    // How many of the first items an entry matches. One that misses an item is out: its count no longer rises.
    const matched = new Uint8Array(size)
    for (const [item, prefixes] of wanted.entries()) {
      for (const entryNumbers of this.entriesWith(prefixes))
        for (const entry of entryNumbers) if (matched[entry] === item) matched[entry] = item + 1
    }
    const ids: number[] = []
    for (let entry = 0; entry < size; entry++)
      if (matched[entry] === wanted.length && !this.outdated.has(entry)) ids.push((this.entries[entry] as Entry).id)
    return ids
  }

  /** An entry may be in several of the lists. */
  private entriesWith(prefixes: readonly string[]) {
    return prefixes.flatMap(prefix => {
      const bucket = this.buckets.get(firstLetter(prefix))
      if (!bucket) return []
      if (prefix.length === 1) return [bucket.entryNumbers]
      return bucket.words.filter(({ word }) => word.startsWith(prefix)).map(({ entryNumbers }) => entryNumbers)
    })
  }

  private postingOf(word: string) {
    const known = this.postings.get(word)
    if (known) return known
    const posting: Posting = { word, entryNumbers: [] }
    this.postings.set(word, posting)
    const bucket = this.buckets.get(firstLetter(word))
    if (bucket) bucket.words.push(posting)
    else this.buckets.set(firstLetter(word), { words: [posting], entryNumbers: [] })
    return posting
  }

  private rebuild() {
    const { entries, postings, buckets, outdated } = this
    const moved = new Map<number, number>()
    this.entries = []
    for (const [entry, content] of entries.entries())
      if (!outdated.has(entry)) {
        moved.set(entry, this.entries.push(content) - 1)
        this.latest.set(content.id, this.entries.length - 1)
      }
    outdated.clear()
    this.postings = new Map()
    this.buckets = new Map()
    const movedOf = (list: number[]) => list.flatMap(entry => moved.get(entry) ?? [])
    for (const { word, entryNumbers } of postings.values()) {
      const kept = movedOf(entryNumbers)
      if (kept.length > 0) this.postingOf(word).entryNumbers = kept
    }
    for (const [letter, { entryNumbers }] of buckets) {
      const rebuilt = this.buckets.get(letter)
      if (rebuilt) rebuilt.entryNumbers = movedOf(entryNumbers)
    }
  }
}
