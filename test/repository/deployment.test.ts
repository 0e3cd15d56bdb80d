import { execFile, execSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { root } from '../../scripts/root.js'
import { buildApp } from '../../src/app.js'
import { readSettings, Settings } from '../../src/config.js'
import * as errors from '../../src/errors.js'
import { bodyLimit } from '../../src/http/requests.js'
import { closeTimeout } from '../../src/process/serve.js'
import { build, settingsFor } from '../helpers/app.js'
import { built } from '../helpers/run.js'

const read = (path: string) => readFile(join(root, path), 'utf8')
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

t.test('CI', async t => {
  t.test('CI runs what a newcomer runs, on every Node.js that is supported', async t => {
    const workflow = await read('.github/workflows/ci.yml')
    t.match(workflow, /^ {6}- run: \.ci\/run$/m)
    const nodes = /node: \[([\d, ]+)\]/.exec(workflow)?.[1]?.split(', ').map(Number) ?? []
    const { engines } = JSON.parse(await read('package.json'))
    t.equal(nodes[0], Number(/>=(\d+)/.exec(engines.node)?.[1]), 'the oldest version comes first')
    const development = Number(await read('.nvmrc'))
    t.ok(nodes.includes(development), 'the version for development is among them')
    t.match(await read('Dockerfile'), new RegExp(`^FROM node:${development}\\.`, 'm'), 'the image has the version for development')
    const versions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => String(action))
    t.ok(versions.length > 0)
    for (const action of versions) t.match(action, /^actions\/[\w-]+@v\d+$/)
  })
})

t.test('versions', async t => {
  const readJson = async (path: string) => JSON.parse(await read(path))

  t.test('versions that are held back: package.json, the decision and Dependabot agree', async t => {
    const { dependencies, devDependencies } = await readJson('package.json')
    const installed: Record<string, string> = { ...dependencies, ...devDependencies }
    const record = await read('docs/decisions/022-pinned-versions.md')
    const rows = [...record.matchAll(/^\| `(.+?)` \| ([\d.x]+) \|/gm)].map(([, name = '', version = '']) => ({ name, version }))
    t.ok(rows.length > 0)
    for (const { name, version } of rows)
      t.ok(installed[name]?.replace(/^[~^]/, '').startsWith(version.replace('x', '')), `${name} stays at ${version}`)

    const [npm = ''] = (await read('.github/dependabot.yml')).split('package-ecosystem: docker')
    const ignored = [...npm.matchAll(/dependency-name: '?([^'\n]+)'?/g)].map(([, name]) => String(name))
    t.strictSame(ignored.sort(), rows.map(({ name }) => name).sort())
  })

  t.test('package.json alone says the version', async t => {
    const { version } = await readJson('package.json')
    t.match(version, /^\d+\.\d+\.\d+$/)
    t.equal((await readJson('openapi.json')).info.version, version)
    t.equal((await readJson('client/package.json')).version, version, 'the client has the version of the interface that it calls')

    t.test('and what is compiled knows it', async t => {
      const { buildApp } = await import(built('src/app.js'))
      const app = await buildApp(settingsFor('mongodb://127.0.0.1:1/none'), { logger: false })
      t.teardown(() => app.close())
      await app.ready()
      t.equal(app.swagger().info.version, version)
    })
  })
})

t.test('the image', async t => {
  const isThere = (path: string) => existsSync(join(root, path))

  const dockerfile = await read('Dockerfile')
  const { engines, scripts, files } = JSON.parse(await read('package.json'))
  const built = JSON.parse(await read('tsconfig.build.json')).include as string[]
  /** What .dockerignore lets through. */
  const context = (await read('.dockerignore')).split('\n').flatMap(line => (line.startsWith('!') ? [line.slice(1)] : []))

  t.test('the image is made of what is there', async t => {
    t.match((await read('.dockerignore')).split('\n'), ['#', '*'], 'only named files reach the image')
    for (const path of context) t.ok(isThere(path), path)
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths]) => String(paths).split(' '))
    t.ok(copied.length > 0)
    for (const path of copied.filter(path => path !== '.')) t.ok(context.includes(path), path)
    for (const path of built) t.ok(context.includes(String(path.split('/')[0])), `${path} can be built in it`)
    for (const path of ['tsconfig.json', 'tsconfig.build.json']) t.ok(context.includes(path), path)
    for (const [script] of String(scripts.build).matchAll(/scripts\/\S+/g)) t.ok(isThere(script), script)
  })

  t.test('node can read it, even if it comes from a clone that only its owner can read', async t => {
    const [build = '', image = ''] = dockerfile.split(/^FROM .*$/m).slice(1)
    t.match(build, /&& chmod -R a\+rX package\.json dist$/m)
    const copied = [...image.matchAll(/^COPY (.*)$/gm)].map(([, what]) => String(what))
    t.ok(copied.length > 0)
    for (const what of copied) t.match(what, /^--from=build /, 'files come only from the build stage')
  })

  t.test('its Node.js is one that the service runs on, and the same in both stages', async t => {
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => String(image))
    t.equal(images.length, 2)
    t.equal(new Set(images).size, 1)
    const offered = Number(/^node:(\d+)\.\d+\.\d+-/.exec(String(images[0]))?.[1])
    const wanted = Number(/>=(\d+)/.exec(engines.node)?.[1])
    t.ok(offered >= wanted, `${offered} for ${engines.node}`)
  })

  t.test('it runs what is built, as the user node and without a shell', async t => {
    t.match(dockerfile, /^USER node$/m)
    const entrypoint = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]')
    t.strictSame(entrypoint, String(scripts.start).split(' ').slice(1, -1), 'with the flags of npm start')
    const command = /^CMD \["dist\/(.+)\.js"\]$/m.exec(dockerfile)?.[1]
    t.ok(isThere(`${command}.ts`), 'the image starts a file that exists')
    t.match(scripts.start, `dist/${command}.js`, 'the same file as npm start')
    for (const name of ['import', 'user', 'train', 'demo']) t.ok(built.includes(`scripts/${name}.ts`), name)
  })

  t.test('its health is that of the service', async t => {
    const check = JSON.parse(/^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[]
    t.equal(check[0], 'node')
    const app = await build(t, { settings: { BASE_PATH: '/viewer' } })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const PORT = String((app.server.address() as AddressInfo).port)
    const run = (env: Record<string, string>) =>
      promisify(execFile)(process.execPath, check.slice(1), { env }).then(
        () => 0,
        ({ code }) => code
      )
    t.equal(await run({ PORT, BASE_PATH: '/viewer' }), 0)
    t.equal(await run({ PORT }), 1, 'the check fails for another path')
    await app.close()
    t.equal(await run({ PORT, BASE_PATH: '/viewer' }), 1)
  })

  t.test('compose.yaml', async t => {
    const compose = await read('compose.yaml')
    t.match(compose, /JWT_SECRET: \$\{JWT_SECRET:\?[^}]+openssl rand[^}]+\}/, 'it says how to make a secret, and contains none')
    t.ok(Number(/image: mongo:(\d+)/.exec(compose)?.[1]) >= 6)
    const services = [...compose.matchAll(/^ {2}(mongo-\d):\n {4}/gm)].map(([, name]) => String(name))
    t.match(compose, `mongodb://${services.join(',')}/viewer?replicaSet=viewer`, 'the service knows every member')
    t.match(compose, `command: [dist/scripts/serve-demo.js]`, 'with the pictures of the demo')
    t.ok(built.includes('scripts/serve-demo.ts'))
    t.match(compose, /^ {2}attach: false$/m, 'only the log of the service is shown')
    t.match(compose, 'shutdownTimeoutMillisForSignaledShutdown=100', 'a member stops before Docker kills it')
    const patience = Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])
    t.ok(patience > 11, 'Docker waits for the service to stop')
  })

  t.test('the documents say how to start it, and which commands it has', async t => {
    for (const path of ['README.md', 'docs/deployment.md', 'compose.yaml']) {
      const text = await read(path)
      t.match(text, 'echo "JWT_SECRET=$(openssl rand -base64 48)" >> .env', `${path}: a secret that later commands find as well`)
      t.match(text, 'docker compose up -d --build', path)
    }
    const commands = [...(await read('docs/deployment.md')).matchAll(/docker compose run .*viewer dist\/(\S+)\.js/g)].map(([, name]) =>
      String(name)
    )
    t.ok(commands.length > 0)
    for (const name of commands) t.ok(built.includes(`${name}.ts`), name)
  })

  t.test('a tarball carries what runs, and no source', async t => {
    t.ok(files.includes('dist') && files.includes('scripts/run.mjs'))
    for (const path of files.filter((path: string) => path !== 'dist')) t.ok(isThere(path), path)
    t.notOk(files.some((path: string) => ['src', 'test', 'scripts', '.'].includes(path)))
  })
})

t.test('deployment', async t => {
  const read = (path: string) => readFile(join(root, 'deploy', path), 'utf8')
  const folder = join(root, 'deploy/kubernetes')
  const manifests = await Promise.all(
    (await readdir(folder, { recursive: true })).filter(name => /\.(yaml|example)$/.test(name)).map(name => read(`kubernetes/${name}`))
  )
  const deployment = await read('kubernetes/base/deployment.yaml')
  const kustomization = await read('kubernetes/base/kustomization.yaml')
  const train = await read('kubernetes/base/train.yaml')
  const proxies = { nginx: await read('nginx/viewer.conf'), haproxy: await read('haproxy/haproxy.cfg') }

  const numberIn = (text: string, pattern: RegExp) => {
    const found = Number(pattern.exec(text)?.[1])
    if (Number.isNaN(found)) throw new Error(`there is no ${pattern}`)
    return found
  }

  t.test('the manifests name settings of the service only', async t => {
    const names = manifests.flatMap(text =>
      [...text.matchAll(/^ *(?:- (?:name: )?)?([A-Z]+_?[A-Z_]+)(?:=|$)/gm)].map(([, name]) => String(name))
    )
    t.ok(names.length > 5)
    for (const name of names) t.ok(name in Settings.properties, name)
  })

  t.test('the secret of the example is refused until it is replaced', async t => {
    const secret = await read('kubernetes/example/secret.env.example')
    const env = Object.fromEntries([...secret.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [String(name), String(value)]))
    t.throws(() => readSettings(Settings, env), { message: /^JWT_SECRET is a well-known placeholder/ })
    t.doesNotThrow(() => readSettings(Settings, { ...env, JWT_SECRET: 'x'.repeat(64) }))
  })

  t.test('the manifests run what the image contains', async t => {
    const { include } = JSON.parse(await readFile(join(root, 'tsconfig.build.json'), 'utf8'))
    const scripts = manifests.flatMap(text => [...text.matchAll(/dist\/(scripts\/\w+)\.js/g)].map(([, path]) => `${path}.ts`))
    t.strictSame(scripts.sort(), ['scripts/import.ts', 'scripts/train.ts'])
    for (const script of scripts) t.ok(include.includes(script), script)
    for (const [, path = ''] of deployment.matchAll(/path: (\/\w+)$/gm))
      if (path !== '/tmp') t.ok(existsSync(join(root, `routes${path}/index.ts`)), path)
  })

  t.test('a pod may take as long to stop as the service does', async t => {
    const drainDelay = numberIn(kustomization, /DRAIN_DELAY=(\d+)/)
    t.ok(numberIn(deployment, /terminationGracePeriodSeconds: (\d+)/) * 1000 > drainDelay + closeTimeout)
  })

  t.test('a training may need as much memory as it is allowed', async t => {
    t.match(kustomization, 'TRAIN=off', 'the service itself does not train')
    t.ok(numberIn(train, /value: '(\d+)'/) < numberIn(train, /memory: (\d+)Gi/) * 1024)
  })

  for (const [name, text] of Object.entries(proxies)) {
    t.test(`${name} answers as the service does`, async t => {
      const known = [errors.malformed, errors.resourceNotFound, errors.tooSlow, errors.tooLarge, errors.headersTooLarge, errors.internal]
      const bodies = [...known.map(error => error().body), ...[502, 503, 504].map(code => ({ ...errors.unavailable().body, code }))]
      const own = [...text.matchAll(/'(\{"success".*\})'/g)].map(([, body]) => JSON.parse(String(body)))
      t.ok(own.length >= 5)
      for (const body of own)
        t.ok(
          bodies.some(({ code, message }) => code === body.code && message === body.message),
          JSON.stringify(body)
        )
    })
  }

  t.test('nginx accepts bodies as large as the service does', async t => {
    t.equal(numberIn(proxies.nginx, /client_max_body_size (\d+)k;/) * 1024, bodyLimit)
  })
})

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
  const sections = new Map(
    operations.split(/^##+ /m).map(section => [(section.split('\n')[0] as string).toLowerCase().replaceAll(' ', '-'), section])
  )
  t.ok(alerts.length > 15)
  for (const alert of alerts) {
    const [name = ''] = alert.split('\n')
    t.match(tests, `alertname="${name}",alertstate="firing"`, name)
    t.match(alert, /severity: (warning|critical)/, name)
    t.match(alert, /^ +summary: \S+.*\n +description: \S+/m, name)
    const runbook = /runbook: docs\/operations\.md#(\S+)/.exec(alert)?.[1] ?? ''
    t.match(sections.get(runbook), `\`${name}\``, `the section of docs/operations.md that ${name} links to names it`)
  }
})

t.test('docs/deployment.md says how the runbooks become links', async t => {
  const folder = t.testdir({ 'rules.yaml': rules })
  const [command = ''] = /sed .* rules\.yaml > \S+/.exec(await read('docs/deployment.md')) ?? []
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
