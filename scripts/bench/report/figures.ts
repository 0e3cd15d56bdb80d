import { writeFile } from 'node:fs/promises'
import type { Options } from '../options.js'
import type { Facts } from './facts.js'
import type { Section } from './section.js'

/** Writes all measurements as JSON. */
export const writeFigures = async (file: string, sections: Section[], facts: Facts, options: Options) => {
  const { json, write, ...sizes } = options
  const goals = sections.flatMap(({ goals }) => goals)
  const parts = sections.map(({ title, figures }) => ({ title, figures }))
  await writeFile(file, `${JSON.stringify({ ...facts, sizes, goals, parts }, null, 2)}\n`)
}
