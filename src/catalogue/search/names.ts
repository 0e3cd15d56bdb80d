import { type Pause, postingOf, WordIndex } from './word-index.js'
import { wholeOf, wordsIn } from './words.js'

/** An index of names, such as those of people. They count like keywords of the contents that have them. */
export const indexOfNames = async (names: readonly string[], pause: Pause) => {
  const postings = new Map<string, number[]>()
  for (const [at, name] of names.entries()) {
    if (at % 64 === 0) await pause()
    const posting = postingOf(at, 'keywords')
    for (const word of new Set([...wordsIn([name]), wholeOf(name)])) {
      const list = postings.get(word)
      if (list) list.push(posting)
      else postings.set(word, [posting])
    }
  }
  return new WordIndex().with(postings, new Int32Array(0), pause)
}
