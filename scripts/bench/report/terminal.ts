import type { Goal } from '../measures/goals.js'
import { spread } from './format.js'
import type { Section } from './section.js'

/** A line that is overwritten while the benchmark runs. Terminals only. */
export const progress = (line: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}
export const say = (line: string) => {
  progress('')
  process.stderr.write(`${line}\n`)
}

const aligned = (rows: string[][]) => {
  const columns = Math.max(...rows.map(row => row.length))
  // A row with a single cell is a remark that spans all columns.
  const inColumns = rows.filter(({ length }) => length > 1)
  const widths = Array.from({ length: columns }, (_, i) => Math.max(0, ...inColumns.map(row => (row[i] ?? '').length)))
  return rows.map(row => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd()).join('\n')
}

/** The bound of a goal, in words. */
export const demand = ({ unit, atLeast, atMost }: Goal) =>
  atLeast === undefined ? `at most ${atMost} ${unit}` : `at least ${atLeast} ${unit}`
export const verdict = ({ met }: Goal) => (met ? 'met' : 'MISSED')

export const goalRows = (goals: Goal[]) => [
  ['', 'goal', '', 'measured'],
  ...goals.map(goal => [verdict(goal), goal.goal, demand(goal), spread(goal.value)])
]

/** Prints all tables, and the goals at the end. */
export const print = (sections: Section[]) => {
  for (const { title, table } of sections) console.log(`${title}\n${aligned(table)}\n`)
  console.log(aligned(goalRows(sections.flatMap(({ goals }) => goals))))
}
