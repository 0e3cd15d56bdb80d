import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Compared } from '../measures/rounds.js'
import type { Options } from '../options.js'
import { root } from '../servers/server.js'
import { barChart } from './bar-chart.js'
import type { Facts } from './facts.js'
import { grouped } from './format.js'
import type { Picture, Section } from './section.js'
import { goalRows } from './terminal.js'

const markdownTable = ([head = [], ...rows]: string[][]) => {
  const row = (cells: string[]) => `| ${head.map((_, i) => (cells[i] ?? '').replaceAll('|', '\\|')).join(' | ')} |`
  return [row(head), `|${head.map(() => ' --- |').join('')}`, ...rows.map(row)].join('\n')
}

const bars: { of: Compared; file: string; title: string; remark: string }[] = [
  {
    of: 'perSecond',
    file: 'requests',
    title: 'Requests per second of the service, as a multiple of its references',
    remark: 'Longer is better.'
  },
  {
    of: 'processor',
    file: 'processor',
    title: 'Processor time of the service per request, as a multiple of its references',
    remark:
      'Shorter is better. This is most meaningful for light requests, whose throughput is limited by the database and the load generator.'
  }
]

const shown = ({ file, alt }: Picture) => `![${alt}](performance/${file}.svg)`

const howTo = (options: Options) => {
  const sizes = [
    `${grouped(options.users)} users with a history of 200`,
    `${grouped(options.contents)} contents`,
    `${options.rounds} rounds of ${options.seconds} s`,
    `${options.connections} concurrent callers`,
    `users up to ${grouped(options.populations.at(-1) ?? 0)}`
  ]
  return `This run: ${sizes.join(', ')}.`
}

const summary = (sections: Section[]) => {
  const goals = sections.flatMap(({ goals }) => goals)
  return `${goals.filter(({ met }) => met).length} of ${goals.length} goals are met.`
}

const markdown = (sections: Section[], comparisons: Comparison[], facts: Facts, options: Options) => `# Performance

\`npm run bench\` wrote this page. It starts a mongod with generated data, the compiled service as production runs it (with token check,
log, and limits above the load), and the references:

- bare Fastify, which runs the same queries (find and count for a list) and sends ready bytes, without token check, validation, limits or log;
- Express with Mongoose (lean results, and documents), Nest with Mongoose (lean results), and Feathers with its own adapter, each as its documentation teaches.

Rounds are interleaved: one round of each server, then the next round. Figures are medians, with quartiles in brackets. Machines differ and are
noisy, so compare only ratios within one run.

Run everything with \`npm run bench\` (\`--full\` for a million users), or parts with \`npm run bench -- history put --rounds 5\`.
${howTo(options)}

${markdownTable([
  ['', ''],
  ['date', facts.at.slice(0, 10)],
  ['processors', facts.machine.processors],
  ['memory', `${facts.machine.memoryGB} GB`],
  ['system', facts.machine.system],
  ...Object.entries(facts.versions)
])}

## Goals

${summary(sections)}

${markdownTable(goalRows(sections.flatMap(({ goals }) => goals)))}

${comparisons.map(({ picture, remark }) => `${shown(picture)}\n\n${remark} The red mark is the goal.\n`).join('\n')}
${sections
  .map(({ title, remark = [], table, picture }) =>
    [`## ${title}`, remark, picture ? shown(picture) : [], markdownTable(table)].flat().join('\n\n')
  )
  .join('\n\n')}
`

interface Comparison {
  picture: Picture
  remark: string
}

/** The charts that compare all scenarios. */
const comparisonsOf = (sections: Section[]): Comparison[] =>
  bars.flatMap(({ of, file, title, remark }) => {
    const ratios = sections.flatMap(({ ratios = [] }) => ratios).filter(ratio => ratio.of === of)
    return ratios.length > 0 ? { picture: { file, alt: title, svg: barChart(title, ratios) }, remark } : []
  })

/** Writes docs/performance.md and its pictures. */
export const writeDocument = async (sections: Section[], facts: Facts, options: Options) => {
  const comparisons = comparisonsOf(sections)
  const pictures = [...comparisons.map(({ picture }) => picture), ...sections.flatMap(({ picture }) => picture ?? [])]
  const folder = join(root, 'docs', 'performance')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  for (const { file, svg } of pictures) await writeFile(join(folder, `${file}.svg`), svg)
  await writeFile(`${folder}.md`, markdown(sections, comparisons, facts, options))
}
