import { firstHeldOut, holdOut, type Measured, pastIn, type Quality, qualitiesOf } from './evaluation.js'
import { choicesOf, fitted } from './fit.js'
import { byPopularity, firstOf, type Interactions, trainingSetOf, viewCounts } from './interactions.js'
import { heaviest, joined } from './links.js'
import { freshnessOf } from './next.js'
import { followersTable, Ranker, type Ranking } from './ranker.js'
import { recentViews } from './recent.js'
import { firstUsers, shuffled, workableLength } from './sampling.js'
import { shares, tables, usualWeights } from './tables.js'

export interface Model extends Ranking, Measured {
  /** What the weights were fitted on, for people to read. */
  learned: string
}

export type Fit = Omit<Model, 'links' | 'shares' | 'views' | 'freshness' | 'recent'>

export interface TrainingStep {
  step: 'choose' | 'train'
  done: number
  total: number
}

export interface TrainingOptions {
  seed?: number
  onProgress?: (step: TrainingStep) => void
}

/** The work grows with the number of pairs in the histories. This many take about ten seconds. */
const maxPairs = 3e9
/** More events hardly improve the weights, but take much longer. */
export const maxForChoice = 1_000_000
/** How many neighbours each of several tables may have, of one title and of all. */
const usualKeep = 100
const maxNeighbours = 4e6
/** How many titles may follow one in all tables together. More make requests slower, but hardly better. */
const usualLinks = 160
const maxLinks = 6e6

/** The tables whose weights have the same scale. */
const comparable = tables.flatMap((_, table) => (table === followersTable ? [] : table))

const usualSeed = 1

const workable = (data: Interactions, seed: number) => shuffled(data, workableLength(data, maxPairs), seed)
const roomFor = (itemCount: number, neighbours: number) => Math.max(10, Math.floor(neighbours / itemCount))

const rankingOf = (data: Interactions, weights: Float64Array, onTable: () => void): Ranking => {
  const set = trainingSetOf(data)
  const keep = Math.min(usualKeep, roomFor(set.itemCount, maxNeighbours))
  const made = tables.map(({ make }) => {
    const table = make(set, keep)
    onTable()
    return table
  })
  const views = viewCounts(set)
  return {
    views: Float32Array.from(views),
    freshness: Float32Array.from(freshnessOf(set, views)),
    recent: recentViews(data),
    links: heaviest(joined(made), Math.min(usualLinks, roomFor(set.itemCount, maxLinks)), comparable),
    shares,
    weights
  }
}

/** The weights that best predict what each viewer of a sample watched last, using tables made without it. */
const fit = (all: Interactions, { seed = usualSeed, onProgress }: TrainingOptions = {}): Fit => {
  const sample = firstUsers(all, maxForChoice)
  const out = holdOut(sample, all)
  let done = 0
  const step = () => onProgress?.({ step: 'choose', done: ++done, total: tables.length + 2 })
  const ranking = rankingOf(out.training, usualWeights, step)
  const choices = choicesOf(out, new Ranker(ranking), seed)
  const weights = fitted(choices, usualWeights)
  step()
  const measured = firstHeldOut(out, mostMeasured)
  const ranker = new Ranker({ ...ranking, weights })
  const popular = byPopularity(out.training)
  const [quality, baseline] = qualitiesOf(measured, depth, sample.itemCount, 2, (user, isSeen) => [
    ranker.best(pastIn(out, user), depth, item => !isSeen(item)).map(({ item }) => item),
    firstOf(popular, depth, item => !isSeen(item))
  ]) as [Quality, Quality]
  step()
  return {
    weights,
    learned: `fitted on the last titles of ${choices.starts.length - 1} viewers`,
    quality,
    baseline
  }
}

const mostMeasured = 5000
const depth = 10

/** The weights that `train` would find, without its tables. */
export const fittedWeights = (data: Interactions, onProgress?: TrainingOptions['onProgress']) =>
  fit(workable(data, usualSeed), onProgress && { onProgress })

export const train = (data: Interactions, options: TrainingOptions = {}): Model => {
  const { seed = usualSeed, onProgress } = options
  const within = workable(data, seed)
  const { weights, ...measured } = fit(within, options)
  let done = 0
  const onTable = () => onProgress?.({ step: 'train', done: ++done, total: tables.length })
  return { ...rankingOf(within, weights, onTable), ...measured }
}
