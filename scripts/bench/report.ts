import { readFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Db } from 'mongodb'
import { root } from '../root.js'

/** The value below which the given share of all values lies. */
export const quantile = (values: number[], part: number) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export interface Measure {
  median: number
  low: number
  high: number
}

export const measureOf = (values: number[]): Measure => ({
  median: quantile(values, 0.5),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75)
})

/** A goal of the service, and the measured value. */
export interface Goal {
  goal: string
  unit: string
  atLeast?: number
  atMost?: number
  value: Measure
}

/** Decided by the median. NaN meets no goal. */
export const isMet = ({ atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY, value: { median } }: Goal) =>
  median >= atLeast && median <= atMost

/** Three significant digits, and no fraction for large numbers. */
export const digits = (value: number) => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0)
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}

/** The median, and the quartiles if they differ. */
export const spread = ({ median, low, high }: Measure) =>
  low === high ? digits(median) : `${digits(median)} (${digits(low)} to ${digits(high)})`

export interface Section {
  title: string
  /** The first row is the header. */
  table: string[][]
  goals: Goal[]
}

/** A Markdown table that can also be read in a terminal. */
export const tableOf = (rows: string[][]) => {
  const cells = rows.map(row => (rows[0] ?? []).map((_, i) => (row[i] ?? '').replaceAll('|', '\\|')))
  const widths = (cells[0] ?? []).map((_, i) => Math.max(3, ...cells.map(row => (row[i] ?? '').length)))
  const line = (row: string[]) => `| ${widths.map((width, i) => (row[i] ?? '').padEnd(width)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...body.map(line)].join('\n')
}

const demand = ({ unit, atLeast, atMost }: Goal) => (atLeast === undefined ? `at most ${atMost} ${unit}` : `at least ${atLeast} ${unit}`)

export const sectionOf = ({ title, table }: Section) => `## ${title}\n\n${tableOf(table)}\n`

export const goalsOf = (sections: Section[]) => {
  const goals = sections.flatMap(({ goals }) => goals)
  const rows = goals.map(goal => [isMet(goal) ? 'met' : 'MISSED', goal.goal, demand(goal), spread(goal.value)])
  const count = `${goals.filter(isMet).length} of ${goals.length} goals are met.`
  return `## Goals\n\n${count}\n\n${tableOf([['', 'goal', '', 'measured'], ...rows])}`
}

const packages: Record<string, string> = { fastify: '', mongodb: '', express: 'scripts/bench/peers', mongoose: 'scripts/bench/peers' }

/** Date, hardware and versions, without anything that identifies the machine. Peers that are not installed are left out. */
export const factsOf = async (db: Db) => {
  const { version } = await db.admin().serverInfo()
  const versions = Object.entries(packages).map(async ([name, folder]) => {
    const file = await readFile(join(root, folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => undefined)
    return file ? [[name, String(JSON.parse(file).version)]] : []
  })
  return tableOf([
    ['', ''],
    ['date', new Date().toISOString().slice(0, 10)],
    ['processors', `${cpus().length} x ${cpus()[0]?.model.trim()}`],
    ['memory', `${Math.round(totalmem() / 1024 ** 3)} GB`],
    ['node', process.versions.node],
    ['mongod', String(version)],
    ...(await Promise.all(versions)).flat()
  ])
}

/** A line that is overwritten while the benchmark runs. Only on terminals. */
export const progress = (line: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}
export const say = (line: string) => {
  progress('')
  process.stderr.write(`${line}\n`)
}
