import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { buildApp } from '../../src/app.js'
import { readSettings, Settings } from '../../src/config.js'
import { messageOf, say } from '../command-line.js'
import { cacheFolder, goProgram, runProgram } from '../processes.js'
import { root } from '../root.js'
import { type Finding, promised } from '../soak/findings.js'

const kustomize = goProgram('sigs.k8s.io/kustomize/kustomize/v5@v5.8.1')
const kubeconform = goProgram('github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0')
// Without service discovery for clouds, which takes many minutes to build.
const promtool = goProgram('github.com/prometheus/prometheus/cmd/promtool@v0.316.0', '-tags', 'remove_all_sd')
const env = { ...process.env, CGO_ENABLED: '0' }

const execute = promisify(execFile)
const run = ([command = '', ...start]: string[], ...args: string[]) => execute(command, [...start, ...args], { env })
const deploy = join(root, 'deploy')

/** The oldest Kubernetes that the manifests are written for, and the newest that there are schemas for. */
const versions = ['1.30.0', '1.37.0']

/** Builds everything that can be built with kustomize, and validates it with kubeconform in strict mode. */
export const kubernetes = async () => {
  const schemas = await kubernetesSchemas()
  const folder = await mkdtemp(join(tmpdir(), 'viewer-kubernetes-'))
  try {
    await cp(join(deploy, 'kubernetes'), folder, { recursive: true })
    // The files that a deployment adds to a copy of the example.
    for (const name of await readdir(folder, { recursive: true }))
      if (name.endsWith('.example')) await cp(join(folder, name), join(folder, name.replace(/\.example$/, '')))
    const found: Finding[] = []
    for (const name of await buildable(folder)) {
      const built = join(folder, `${name}.yaml`)
      await run(kustomize, 'build', join(folder, name), '--output', built)
      for (const version of versions) {
        const options = ['-strict', '-summary', '-output', 'json', '-kubernetes-version', version, '-schema-location', schemas]
        const { stdout } = await run(kubeconform, ...options, built).catch((error: { stdout: string }) => error)
        found.push(validity(name, version, stdout))
      }
    }
    return found
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The folders that kustomize can build. A component cannot be built by itself, so each is added to the base. */
const buildable = async (folder: string) => {
  const files = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('kustomization.yaml'))
  return Promise.all(
    files.sort().map(async file => {
      const name = dirname(file)
      const isComponent = /^kind: Component$/m.test(await readFile(join(folder, file), 'utf8'))
      if (!isComponent) return name
      const whole = `base-with-${name}`
      await mkdir(join(folder, whole))
      await writeFile(join(folder, whole, 'kustomization.yaml'), `resources: [../base]\ncomponents: [../${name}]\n`)
      return whole
    })
  )
}

interface Report {
  resources?: { name: string; kind: string; msg: string }[]
  summary: Record<'valid' | 'invalid' | 'errors' | 'skipped', number>
}

const validity = (name: string, version: string, stdout: string) => {
  const { resources = [], summary }: Report = JSON.parse(stdout)
  const others = summary.invalid + summary.errors + summary.skipped
  const faults = resources.map(({ kind, name, msg }) => `\n            ${kind} ${name}: ${msg}`)
  return promised(
    `${name} is valid for Kubernetes ${version}`,
    others === 0 && summary.valid > 0,
    `${summary.valid} of ${summary.valid + others} objects${faults.join('')}`
  )
}

/** A PyPI package that contains the JSON schemas of Kubernetes 1.28 to 1.37. */
const wheel = 'kubernetes-validate==1.37.0 --hash=sha256:85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9'

/** The Kubernetes schemas, as a `-schema-location` for kubeconform. */
const kubernetesSchemas = async () => {
  const cache = cacheFolder('kubernetes-schemas-1.37.0')
  const location = join(cache, '{{.NormalizedKubernetesVersion}}-local{{.StrictSuffix}}', '{{.ResourceKind}}{{.KindSuffix}}.json')
  if (existsSync(cache)) return location
  say('downloading the schemas of Kubernetes from PyPI')
  await mkdir(dirname(cache), { recursive: true })
  const folder = await mkdtemp(`${cache}-`)
  try {
    const requirements = join(folder, 'requirements.txt')
    await writeFile(requirements, `${wheel}\n`)
    const options = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--no-input', '--disable-pip-version-check']
    await runProgram(['python3', '-m', 'pip', 'install', ...options, '--target', folder, '--requirement', requirements])
    const unpacked = join(folder, 'kubernetes_validate', 'kubernetes-json-schema')
    for (const version of versions) {
      const schemas = join(unpacked, `v${version}-local-strict`)
      for (const name of await readdir(schemas)) await writeFile(join(schemas, name), asFile(await readFile(join(schemas, name), 'utf8')))
    }
    await rename(unpacked, cache)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return location
}

/** The schemas refer to each other by URLs, but kubeconform reads them as files. */
const asFile = (text: string) => {
  const { $schema: _, $id: __, ...schema } = JSON.parse(text.replaceAll('"/api/_definitions.json#', '"_definitions.json#'))
  return JSON.stringify(schema)
}

/** Has promtool check the configuration, the rules and their tests, the queries of the board, and the metrics of the service. */
export const prometheus = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'viewer-prometheus-'))
  try {
    const board = join(folder, 'board.yaml')
    await writeFile(board, await boardAsRules())
    const passes = async (name: string, ...args: string[]) => {
      const failure = await run(promtool, ...args).then(
        () => undefined,
        (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`.trim() || messageOf(error)
      )
      return promised(name, failure === undefined, failure ?? 'passed')
    }
    return [
      await passes('promtool check config', 'check', 'config', join(deploy, 'prometheus', 'prometheus.yaml')),
      await passes('promtool check rules', 'check', 'rules', '--lint-fatal', join(deploy, 'prometheus', 'rules.yaml')),
      await passes('promtool test rules', 'test', 'rules', join(deploy, 'prometheus', 'rules.test.yaml')),
      await passes('the queries of the board can be parsed', 'check', 'rules', board),
      await metricsPass()
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Board {
  panels: { targets?: { expr: string }[] }[]
}

/** The queries of the dashboard as rules, because promtool checks queries in rules. JSON is valid YAML. */
const boardAsRules = async () => {
  const { panels }: Board = JSON.parse(await readFile(join(deploy, 'grafana', 'viewer.json'), 'utf8'))
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')))
  return JSON.stringify({ groups: [{ name: 'board', rules: queries.map((expr, n) => ({ record: `board:query:${n}`, expr })) }] })
}

/** The names of prom-client's own gauges. */
const ofTheLibrary = /^nodejs_active_(handles|requests|resources)_total /

/** promtool's complaints about metric names, except prom-client's. */
const metricsPass = async () => {
  const settings = { MONGO_URL: 'mongodb://127.0.0.1:1', JWT_SECRET: 'x'.repeat(32), IMPORT_KEY: 'x'.repeat(32) }
  const app = await buildApp(readSettings(Settings, settings), { logger: false })
  const metrics = await app.inject('/metrics')
  await app.close()
  const [go = '', ...start] = promtool
  const child = spawn(go, [...start, 'check', 'metrics'], { stdio: ['pipe', 'ignore', 'pipe'], env })
  child.stdin.end(metrics.body)
  const complaints = (await text(child.stderr))
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('exit status') && !ofTheLibrary.test(line))
  return promised(
    'promtool check metrics',
    metrics.statusCode === 200 && complaints.length === 0,
    complaints.join('\n            ') || 'passed'
  )
}
