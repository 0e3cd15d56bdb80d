import { readFile } from 'node:fs/promises'
import { days } from '../src/time.js'

/** The fields of contents.ndjson that the demo reads. All others are passed on unchanged. */
export interface DemoContent {
  id: number
  parent_id: number | null
  type: string
  name: string
  weight: number | null
  /** In seconds. */
  duration?: number
  terms: number[]
  start_date: string
  end_date?: string
  deleted_at?: string
  countries_include?: string[]
  countries_exclude?: string[]
}

/** What counts as today in the static files. */
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

/** Whether a content item is available in every country during a period. */
export const openDuring = (from: Date, to: Date) => (content: DemoContent) =>
  Date.parse(content.start_date) <= from.getTime() &&
  (content.end_date === undefined || Date.parse(content.end_date) > to.getTime()) &&
  content.deleted_at === undefined &&
  content.countries_include === undefined &&
  content.countries_exclude === undefined

export interface PlayableContent extends DemoContent {
  duration: number
}

/** Shows and seasons cannot be played themselves, and live items only once. */
export const isPlayable = (content: DemoContent): content is PlayableContent => content.duration !== undefined && content.type !== 'live'
