import type { Scored } from '../model/index.js'

/** While watched titles remain, at most every tenth place goes to a title that nobody has watched yet. */
export const newcomerEvery = 10
/**
 * A newcomer's score is multiplied by this before it is compared with the next title's. Newcomers score low, because they borrow a little
 * from many titles.
 */
const worth = 20

/** Both lists in one. Newcomers get every tenth place, if their score is high enough, and all places after the last of the titles. */
export const interleaved = (titles: Scored[], newcomers: Scored[], count: number) => {
  const list: Scored[] = []
  const [known, fresh] = [[...titles], [...newcomers]]
  while (list.length < count) {
    const [title, newcomer] = [known[0], fresh[0]]
    const isTurn = (list.length + 1) % newcomerEvery === 0
    const isFresh = newcomer && (!title || (isTurn && newcomer.score * worth >= title.score))
    const next = isFresh ? fresh.shift() : known.shift()
    if (!next) break
    list.push(next)
  }
  return list
}
