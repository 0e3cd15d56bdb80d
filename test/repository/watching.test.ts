import { execSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { boardDocument } from '../../scripts/deploy/grafana/board.js'
import { boardQueries } from '../../scripts/deploy/grafana/queries.js'
import { buildApp } from '../../src/app.js'
import { processMetrics } from '../../src/metrics/process.js'
import { settingsFor } from '../helpers/app.js'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const rules = await read('deploy/prometheus/rules.yaml')
const alerts = rules.split(/^ +- alert: /m).slice(1)
const namesIn = (text: string) => [...text.matchAll(/([a-zA-Z_][\w:]*)\{/g)].map(([, name = '']) => name)

const exported = async (t: Test) => {
  const app = await buildApp(settingsFor('mongodb://127.0.0.1:1/none', { IMPORT_KEY: 'a key of at least 32 bytes, or no metrics' }), {
    logger: false
  })
  t.teardown(() => app.close())
  await app.ready()
  const metrics = [...(await app.metrics.getMetricsAsJSON()), ...(await processMetrics.getMetricsAsJSON())]
  return metrics.flatMap(({ name, type }) => (String(type) === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : name))
}

t.test('the alerts and the board name only metrics that are exported', async t => {
  const recorded = [...rules.matchAll(/- record: (\S+)/g)].map(([, name]) => String(name))
  const known = new Set([...(await exported(t)), ...recorded, 'up'])
  const named = [...namesIn(rules), ...boardQueries('1m').flatMap(namesIn)]
  t.ok(named.length > 50)
  t.strictSame(
    named.filter(name => !known.has(name)),
    []
  )
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

t.test('deploy/grafana/viewer.json', async t => {
  t.equal(await read('deploy/grafana/viewer.json'), boardDocument, 'the board is outdated: run `npm run docs`')
  const { panels } = JSON.parse(boardDocument)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }: { gridPos: Record<'x' | 'y' | 'w' | 'h', number> }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`)
  )
  t.equal(new Set(cells).size, cells.length, 'no panel covers another')
  t.notOk(
    cells.some((cell: string) => Number(cell.split(' ')[0]) >= 24),
    'Grafana has 24 columns'
  )
})
