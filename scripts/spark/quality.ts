import { type HoldOut, historyOf, type Quality, qualitiesOf, Scorer } from '../../src/recommendations/model/index.js'
import type { StoredModel } from '../../src/recommendations/stored-model.js'

const depth = 10

/** Hides the last title of each viewer from the training: it has to be found. */
export const splitOff = (histories: number[][]) => ({
  training: histories.map(history => history.slice(0, -1)),
  last: histories.map(history => history.at(-1) as number)
})

/** How well a stored model finds the last title of each viewer among all titles, whose ids are 1 to `titles`. */
export const qualityOf = (
  { ids, watched, halfLives, links }: StoredModel,
  training: number[][],
  last: number[],
  titles: number
): Quality => {
  const starts = new Uint32Array(training.length + 1)
  training.forEach((history, user) => {
    starts[user + 1] = (starts[user] as number) + history.length
  })
  const out: HoldOut = {
    training: { itemCount: titles + 1, starts, items: Uint32Array.from(training.flat()) },
    heldStarts: new Uint32Array(training.length + 1).map((_, user) => user),
    held: Uint32Array.from(last)
  }
  const itemOf = new Map([...ids].map((id, item) => [id, item]))
  const scorer = new Scorer(links)
  const [quality] = qualitiesOf(out, depth, titles, 1, (user, isSeen) => {
    const items = (training[user] as number[]).map(id => itemOf.get(id) as number)
    const best = scorer.best(historyOf(items, halfLives), depth, item => item < watched && !isSeen(ids[item] as number))
    return [best.map(({ item }) => ids[item] as number)]
  })
  return quality as Quality
}

/** A model of Spark may be this much worse than that of the service. */
const tolerance = 0.01

export const isAsGood = (one: Pick<Quality, 'hits' | 'ndcg'>, other: Pick<Quality, 'hits' | 'ndcg'>) =>
  one.hits >= other.hits * (1 - tolerance) && one.ndcg >= other.ndcg * (1 - tolerance)
