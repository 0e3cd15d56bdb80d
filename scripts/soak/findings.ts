import type { Db } from 'mongodb'
import type { Server } from '../servers.js'
import { isPromised, type Ledger, type Outcomes } from './outcomes.js'

/** A promise, and whether it was kept. */
export interface Finding {
  promise: string
  /** Undefined if the run was too short to tell. */
  kept: boolean | undefined
  figures: string
}

export const promised = (promise: string, kept: boolean | undefined, figures: string): Finding => ({ promise, kept, figures })

const words = new Map([
  [true, 'kept'],
  [false, 'BROKEN'],
  [undefined, 'unknown']
])

export const lineOf = ({ promise, kept, figures }: Finding) => `${words.get(kept)?.padEnd(8)}  ${promise}: ${figures}`

export const allKept = (findings: Finding[]) => findings.every(({ kept }) => kept !== false)

export const sectionOf = (name: string, findings: Finding[]) => [name, ...findings.map(finding => `  ${lineOf(finding)}`)].join('\n')

export const milliseconds = (value: number) => `${Math.round(value)} ms`

/** In milliseconds. No caller may wait longer than this. */
const longestWait = 3000

export const nothingLost = async (ledger: Ledger, db: Db) => {
  const lost = await ledger.lost(db)
  const examples = lost.length > 0 ? ` (${lost.slice(0, 5).join('; ')})` : ''
  return promised('no acknowledged write is lost', lost.length === 0 && ledger.writes > 0, `${lost.length} of ${ledger.writes}${examples}`)
}

export const stays = (...services: Server[]) => {
  const departures = services.reduce((sum, service) => sum + service.departures, 0)
  return promised('the service never exits on its own', departures === 0, `${departures} times`)
}

export const complainsOfNothing = (...services: Server[]) => {
  const complaints = services.flatMap(service => service.complaints)
  const examples = complaints.slice(0, 3).map(line => `\n            ${line.slice(0, 300)}`)
  return promised('no errors in the log, nothing on stderr', complaints.length === 0, `${complaints.length} lines${examples.join('')}`)
}

export const answersAsPromised = (outcomes: Outcomes) => {
  const others = outcomes.besides(isPromised)
  return promised('only successes and documented 503s with Retry-After', others === 0 && outcomes.total > 0, `${outcomes}`)
}

export const answersInTime = (outcomes: Outcomes) =>
  promised(
    'no response takes longer than 3 s',
    outcomes.latencies().slowest <= longestWait,
    `slowest ${milliseconds(outcomes.latencies().slowest)}`
  )
