import { type Pause, postingOf, WordIndex } from './word-index.js'
import { wholeOf, wordsIn } from './words.js'

/**
 * An index of names, such as those of people. They count like keywords of the contents that have them. `rows` maps the rows of an earlier
 * index to the current ones; those that become -1 are dropped.
 */
export const indexOfNames = async (
  names: Iterable<readonly [row: number, name: string]>,
  pause: Pause,
  before = new WordIndex(),
  rows = new Int32Array(0)
) => {
  const postings = new Map<string, number[]>()
  let count = 0
  for (const [row, name] of names) {
    if (count++ % 64 === 0) await pause()
    const posting = postingOf(row, 'keywords')
    for (const word of new Set([...wordsIn([name]), wholeOf(name)])) {
      const list = postings.get(word)
      if (list) list.push(posting)
      else postings.set(word, [posting])
    }
  }
  return before.with(postings, rows, pause)
}
