import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { messageOf } from '../failures.js'
import { goProgram } from '../go-program.js'
import { promised } from '../soak/promises.js'
import type { Check } from './check.js'
import { boardQueries } from './grafana/queries.js'
import { complaintsAbout } from './prometheus/lint.js'
import { folder, type Prometheus } from './prometheus/server.js'
import { withServiceUnderLoad } from './prometheus/service-under-load.js'

const run = promisify(execFile)

const seconds = 60
/** Seconds between two values of a query. */
const step = 2

/** Queries about faults, of which a healthy service has none. */
const mayFindNothing = [/status!="503"/]

/** Has promtool check the files, and Prometheus answer every query of the rules and of the board about a service under load. */
export const prometheus: Check = async say => {
  const { server, promtool } = await prometheusPrograms(say)
  const findings = []
  for (const check of ['check config prometheus.yaml', 'check rules --lint-fatal rules.yaml', 'test rules rules.test.yaml'])
    findings.push(await passes(promtool, check))

  await withServiceUnderLoad(server, { seconds, say }, async ({ prometheus, metrics, began, ended }) => {
    const rules = await prometheus.rules()
    const failing = rules.filter(({ lastError }) => lastError).map(({ name, lastError }) => `${name}: ${lastError}`)
    const recorded = rules.filter(({ type }) => type === 'recording').map(({ name }) => name)
    const selectors = rules.flatMap(({ query }) => selectorsOf(query))
    const inRules = await emptyOf(prometheus, [...recorded, ...selectors], began, ended)
    const queries = boardQueries('10s')
    const onBoard = await emptyOf(prometheus, queries, began, ended)
    const complaints = await complaintsAbout(metrics, promtool)
    findings.push(
      promised('Prometheus evaluates every rule', failing.length === 0, inWords(rules.length, failing)),
      promised('whatever a rule looks for is there', inRules.length === 0, inWords(recorded.length + selectors.length, inRules)),
      promised('every query of the board finds something', onBoard.length === 0, inWords(queries.length, onBoard)),
      promised('promtool check metrics', complaints.length === 0, complaints.join('\n            ') || 'passed')
    )
  })
  return findings
}

/** Without the parts that find processes in clouds, which take many minutes to build. */
export const prometheusPrograms = async (say: (line: string) => void) => {
  const program = (name: string) => goProgram(`github.com/prometheus/prometheus/cmd/${name}@v0.316.0`, say, ['-tags', 'remove_all_sd'])
  const server = await program('prometheus')
  // One after the other, because the second build reuses most of the first.
  const promtool = await program('promtool')
  return { server, promtool }
}

const passes = async (promtool: string, check: string) => {
  const failure = await run(promtool, check.split(' '), { cwd: folder }).then(
    () => undefined,
    (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`.trim() || messageOf(error)
  )
  return promised(`promtool ${check}`, failure === undefined, failure ?? 'passed')
}

/** The selectors in a query. */
const selectorsOf = (query: string) => query.match(/[a-zA-Z_][\w:]*\{[^}]*\}/g) ?? []

/** The queries that find nothing. Throws if Prometheus rejects one. */
const emptyOf = async (prometheus: Prometheus, queries: string[], began: number, ended: number) => {
  const empty: string[] = []
  for (const query of new Set(queries)) {
    const found = await prometheus.range(query, began, ended, step)
    if (found.length === 0 && !mayFindNothing.some(known => known.test(query))) empty.push(query)
  }
  return empty
}

const inWords = (count: number, faults: string[]) => [`${count - faults.length} of ${count}`, ...faults].join('\n            ')
