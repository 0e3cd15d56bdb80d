import { countWithAny, type Model, type Quality, type TimeSplit } from '../../src/recommendations/model/index.js'
import { invocationOf, readersOf } from '../command-line.js'
import type { Dataset } from './events.js'

const command = invocationOf('recommend')

const usage = `Usage: ${command} --events FILE --out FILE [--k 20]
       ${command} --events FILE --evaluate [--k 20]
  --events FILE  one line per event: user, tab, item, oldest first for each user;
                 or user, tab, item, tab, time in any order (seconds or milliseconds since 1970, or RFC 3339)
  --out FILE     one line per user is written: user, tab, the best unseen items separated by commas, best first
  --k NUMBER     items per user (20)
  --evaluate     holds out the last item of each user and prints how well the model predicts it, without writing a file;
                 if there are times, also splits the events by time and prints how well it predicts the later ones`

export interface Arguments {
  events: string
  k: number
  /** If it is missing, the model is evaluated. */
  out: string | undefined
}

export const readArguments = (args: string[]): Arguments => {
  const options = {
    events: { type: 'string' },
    k: { type: 'string', default: '20' },
    out: { type: 'string' },
    evaluate: { type: 'boolean', default: false }
  } as const
  const { events, k, out, evaluate } = readersOf(usage).parsed({ args, options }).values
  if (!events) throw new Error(`--events FILE is missing\n${usage}`)
  if (!/^0*[1-9]\d{0,5}$/.test(k)) throw new Error(`--k must be a number from 1 to 999999, not ${JSON.stringify(k)}\n${usage}`)
  if (evaluate && out !== undefined) throw new Error(`--evaluate writes no file: remove --out\n${usage}`)
  if (!evaluate && !out) throw new Error(`--out FILE is missing\n${usage}`)
  return { events, k: Number(k), out }
}

const grouped = (value: number) => value.toLocaleString('en')
const amount = (value: number, one: string) => `${grouped(value)} ${one}${value === 1 ? '' : 's'}`
const inPercent = (value: number) => `${(value * 100).toFixed(1)} %`

const row = (name: string, { ndcg, hits, recall, coverage, popular, novelty }: Quality) =>
  `${name.padEnd(12)}${[ndcg.toFixed(4), hits.toFixed(4), recall.toFixed(4), inPercent(coverage), inPercent(popular), novelty.toFixed(1)].map(figure => figure.padStart(10)).join('')}`

/** Compares the model with others, for example with plain popularity. */
export const table = (k: number, qualities: Record<string, Quality>) =>
  [
    `${''.padEnd(12)}${[`nDCG@${k}`, `HR@${k}`, `recall@${k}`, 'coverage', 'top 100', 'novelty'].map(title => title.padStart(10)).join('')}`,
    ...Object.entries(qualities).map(([name, quality]) => row(name, quality))
  ].join('\n')

export const splitLine = ({ moment, heldStarts }: TimeSplit) =>
  `Trained before ${new Date(moment).toISOString()}, tested on what ${amount(countWithAny(heldStarts), 'user')} watched after it:`

export const readLine = ({ users, items, events, data }: Dataset) => {
  const again = events - data.items.length
  const repeated = again > 0 ? `, ${grouped(again)} of them repeated` : ''
  return `${amount(users.length, 'user')}, ${amount(items.length, 'item')}, ${amount(events, 'event')}${repeated}`
}

export const learnedLine = ({ learned, quality, baseline }: Pick<Model, 'learned' | 'quality' | 'baseline'>) =>
  baseline.ndcg > 0 ? `${learned} (nDCG ${(quality.ndcg / baseline.ndcg).toFixed(1)} times that of popularity)` : learned

/** The time and the peak memory. */
export const costLine = (seconds: number) => {
  const { maxRSS } = process.resourceUsage()
  return `took ${seconds.toFixed(1)} s and at most ${grouped(Math.round(maxRSS / 1024))} MB of memory`
}
