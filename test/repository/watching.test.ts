import { execSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.js'
import { settingsFor } from '../helpers/app.js'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const rules = await read('deploy/prometheus/rules.yaml')
const alerts = rules.split(/^ +- alert: /m).slice(1)
const namesIn = (text: string) => [...text.matchAll(/([a-zA-Z_][\w:]*)\{/g)].map(([, name = '']) => name)

interface Board {
  panels: { title: string; gridPos: Record<'x' | 'y' | 'w' | 'h', number>; targets?: { expr: string }[] }[]
  templating: { list: { name: string; query: string | { query: string } }[] }
}
const { panels, templating }: Board = JSON.parse(await read('deploy/grafana/viewer.json'))

/** The names that GET /metrics has, of histograms those of their series. */
const exported = async (t: Test) => {
  const settings = settingsFor('mongodb://127.0.0.1:1/none', { IMPORT_KEY: 'a key of at least 32 bytes, or no metrics' })
  const app = await buildApp(settings, { logger: false })
  t.teardown(() => app.close())
  const { body } = await app.inject('/metrics')
  return [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name]
  )
}

t.test('the alerts and the board name only metrics that are exported', async t => {
  const recorded = [...rules.matchAll(/- record: (\S+)/g)].map(([, name]) => String(name))
  const known = new Set([...(await exported(t)), ...recorded, 'up'])
  const unknown = (query: string) => namesIn(query).filter(name => !known.has(name))
  t.strictSame(unknown(rules), [])
  const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, query: expr })))
  for (const { name, query } of templating.list) if (typeof query !== 'string') queries.push({ title: name, query: query.query })
  t.ok(queries.length > 30)
  for (const { title, query } of queries) {
    t.ok(namesIn(query).length > 0, `${title}: ${query}`)
    t.strictSame(unknown(query), [], `${title}: ${query}`)
  }
})

t.test('every alert is tested and says what to do', async t => {
  const tests = await read('deploy/prometheus/rules.test.yaml')
  const operations = await read('docs/operations.md')
  const anchors = [...operations.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'))
  t.ok(alerts.length > 15)
  for (const alert of alerts) {
    const [name = ''] = alert.split('\n')
    t.match(tests, `alertname="${name}",alertstate="firing"`, name)
    t.match(alert, /severity: (warning|critical)/, name)
    t.match(alert, /^ +summary: \S+.*\n +description: \S+/m, name)
    t.ok(anchors.includes(/runbook: docs\/operations\.md#(\S+)/.exec(alert)?.[1] ?? ''), `${name} has a place in docs/operations.md`)
  }
})

t.test('docs/operations.md says how the runbooks become links', async t => {
  const folder = t.testdir({ 'rules.yaml': rules })
  const [command = ''] = /sed .* rules\.yaml > \S+/.exec(await read('docs/operations.md')) ?? []
  execSync(command, { cwd: folder })
  const linked = await readFile(join(folder, 'linked-rules.yaml'), 'utf8')
  t.equal(linked.match(/^ +runbook_url: https:\/\/[\w.]+\/\S+\/docs\/operations\.md#\S+$/gm)?.length, alerts.length)
  t.notMatch(linked, 'runbook: ')
})

t.test('no panel of the board covers another', async t => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`)
  )
  t.equal(new Set(cells).size, cells.length)
  t.notOk(
    cells.some(cell => Number(cell.split(' ')[0]) >= 24),
    'Grafana has 24 columns'
  )
})
