import type { Choice, NextShape, Quality } from '../../src/recommendations/model/index.js'
import type { Dataset } from './events.js'

const grouped = (value: number) => value.toLocaleString('en')
const amount = (value: number, one: string) => `${grouped(value)} ${one}${value === 1 ? '' : 's'}`
const inPercent = (value: number) => `${(value * 100).toFixed(1)} %`

const row = (name: string, { ndcg, hits, recall, coverage, popular }: Quality) =>
  `${name.padEnd(12)}${[ndcg.toFixed(4), hits.toFixed(4), recall.toFixed(4), inPercent(coverage), inPercent(popular)].map(figure => figure.padStart(10)).join('')}`

/** Compares the model with others, for example with plain popularity. */
export const table = (k: number, qualities: Record<string, Quality>) =>
  [
    `${''.padEnd(12)}${[`nDCG@${k}`, `HR@${k}`, `recall@${k}`, 'coverage', 'top 100'].map(title => title.padStart(10)).join('')}`,
    ...Object.entries(qualities).map(([name, quality]) => row(name, quality))
  ].join('\n')

export const readLine = ({ users, items, events, data }: Dataset) => {
  const again = events - data.items.length
  const repeated = again > 0 ? `, ${grouped(again)} of them repeated` : ''
  return `${amount(users.length, 'user')}, ${amount(items.length, 'item')}, ${amount(events, 'event')}${repeated}`
}

const nextPart = ({ lambda, chain, halfLife, targets, fresh, taste }: NextShape) =>
  `; next: lambda ${lambda}, chain ${chain}, half after ${halfLife} items, targets ${targets}, fresh ${fresh}, taste ${taste}`

export const chosenLine = ({ settings, quality, baseline }: Choice) => {
  const { preset, ridge, walk, share, halfLife, next } = settings
  const ageing = Number.isFinite(halfLife) ? `, half after ${halfLife} items` : ''
  const gain = baseline.ndcg > 0 ? ` (nDCG ${(quality.ndcg / baseline.ndcg).toFixed(1)} times that of popularity)` : ''
  return `chosen: ${preset}, lambda ${ridge.lambda}, growth ${ridge.growth}, users ${ridge.users}, neighbours ${ridge.keep}, walk ${share} with sources ${walk.sources}${ageing}${next ? nextPart(next) : ''}${gain}`
}

/** The time and the peak memory. */
export const costLine = (seconds: number) => {
  const { maxRSS } = process.resourceUsage()
  return `took ${seconds.toFixed(1)} s and at most ${grouped(Math.round(maxRSS / 1024))} MB of memory`
}
