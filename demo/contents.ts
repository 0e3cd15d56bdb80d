import { readFile } from 'node:fs/promises'
import { days } from '../src/time.js'

/** The fields of contents.ndjson that the demo reads. All others are passed on unchanged. */
export interface DemoContent {
  id: number
  parent_id: number | null
  type: string
  name: string
  description: Record<string, string>
  weight: number | null
  terms: number[]
  start_date: string
  end_date?: string
  deleted_at?: string
  countries_include?: string[]
  countries_exclude?: string[]
}

/** Today, as far as the dates in the static files are concerned. */
const anchor = Date.parse('2026-01-01T00:00:00Z')

/** Shifts dates of the static files so that the anchor becomes the day of `now`. */
const shiftedTo = (now: Date) => {
  const shift = Math.floor((now.getTime() - anchor) / days(1)) * days(1)
  return (moment: string) => new Date(Date.parse(moment) + shift).toISOString()
}

export const staticText = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

/** Parses JSON and shifts its dates to `now`. */
export const parseAt = (now: Date) => {
  const shifted = shiftedTo(now)
  return (text: string) => JSON.parse(text, (key, value) => (typeof value === 'string' && /_(at|date)$/.test(key) ? shifted(value) : value))
}

export const parseLinesAt = (now: Date) => {
  const parse = parseAt(now)
  return (text: string) => text.trimEnd().split('\n').map(parse)
}

export const lines = (rows: object[]) => rows.map(row => `${JSON.stringify(row)}\n`).join('')

export const demoContents = async (now: Date): Promise<DemoContent[]> => parseLinesAt(now)(await staticText('contents.ndjson'))

/** Whether a content item is open in every country during a period. */
export const openDuring = (from: Date, to: Date) => (content: DemoContent) =>
  Date.parse(content.start_date) <= from.getTime() &&
  (content.end_date === undefined || Date.parse(content.end_date) > to.getTime()) &&
  content.deleted_at === undefined &&
  content.countries_include === undefined &&
  content.countries_exclude === undefined

const usualMinutes: Record<string, number> = { film: 85, documentary: 55, episode: 25, clip: 3 }

/** Shows and seasons cannot be played themselves, and live items have no length. */
export const isPlayable = ({ type }: DemoContent) => type in usualMinutes

/** The length of an item. Lessons state it in their description, others vary around the usual length of their type. */
export const minutesOf = ({ id, type, description }: DemoContent) => {
  const said = /^(\d+) minutes/.exec(description.en ?? '')?.[1]
  const usual = usualMinutes[type] ?? 60
  return said === undefined ? usual + ((id * 7) % Math.ceil(usual / 2)) : Number(said)
}
