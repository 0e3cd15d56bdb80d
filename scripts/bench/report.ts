import { writeFile } from 'node:fs/promises'
import type { Goal } from './goals.js'
import type { Growth } from './growth.js'
import type { Result } from './rounds.js'
import type { Measure } from './statistics.js'

export interface Compared {
  title: string
  results: Result[]
  goals: Goal[]
}

/** One line that is written over while the benchmark runs; nothing where nobody watches. */
export const progress = (line: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}
export const say = (line: string) => {
  progress('')
  process.stderr.write(`${line}\n`)
}

const digits = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2))
const spread = ({ median, low, high }: Measure) => (low === high ? digits(median) : `${digits(median)} (${digits(low)} to ${digits(high)})`)

const table = (rows: string[][]) => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  return rows
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

const comparedTable = ({ title, results }: Compared) =>
  `${title}\n${table([
    ['', 'requests/s', 'us of the server', 'us of mongod', 'operations'],
    ...results.map(({ name, perSecond, processor, mongod, operations }) => [
      `  ${name}`,
      spread(perSecond),
      spread(processor),
      spread(mongod),
      digits(operations.median)
    ])
  ])}`

const growthTable = ({ title, times }: Growth) => `${title}\n${table([...times].map(([name, time]) => [`  ${name}`, spread(time)]))}`

const goalsTable = (goals: Goal[]) =>
  table([
    ['', 'goal', 'issue', 'measured'],
    ...goals.map(({ goal, issue, unit, atLeast, atMost, value, met }) => [
      met ? 'met' : 'MISSED',
      `${goal}: ${atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`} ${unit}`,
      String(issue),
      spread(value)
    ])
  ])

/** On the terminal for people, in the file for everything else. */
export const report = async (compared: Compared[], growths: Growth[], facts: Record<string, unknown>, file: string) => {
  const goals = [...compared, ...growths].flatMap(({ goals }) => goals)
  console.log([...compared.map(comparedTable), ...growths.map(growthTable), goalsTable(goals)].join('\n\n'))
  if (!file) return
  const times = growths.map(({ title, times }) => ({ title, times: Object.fromEntries(times) }))
  await writeFile(file, `${JSON.stringify({ ...facts, goals, compared, times }, null, 2)}\n`)
}
