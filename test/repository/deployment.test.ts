import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readSettings, Settings } from '../../src/config.js'
import * as errors from '../../src/errors.js'
import { bodyLimit } from '../../src/http/body-limit.js'
import { closeTimeout } from '../../src/process/stop-times.js'

const read = (path: string) => readFile(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')
const folder = fileURLToPath(new URL('../../deploy/kubernetes', import.meta.url))
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
  t.throws(() => readSettings(Settings, env), { message: /^JWT_SECRET is a placeholder/ })
  t.doesNotThrow(() => readSettings(Settings, { ...env, JWT_SECRET: 'x'.repeat(64) }))
})

t.test('the manifests run what the image contains', async t => {
  const { include } = JSON.parse(await readFile(new URL('../../tsconfig.build.json', import.meta.url), 'utf8'))
  const scripts = manifests.flatMap(text => [...text.matchAll(/dist\/(scripts\/\w+)\.js/g)].map(([, path]) => `${path}.ts`))
  t.strictSame(scripts.sort(), ['scripts/import.ts', 'scripts/train.ts'])
  for (const script of scripts) t.ok(include.includes(script), script)
  for (const [, path = ''] of deployment.matchAll(/path: (\/\w+)$/gm))
    if (path !== '/tmp') t.ok(existsSync(new URL(`../../routes${path}/index.ts`, import.meta.url)), path)
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
    const known = [errors.malformed, errors.unknownPath, errors.tooSlow, errors.tooLarge, errors.headersTooLarge, errors.internal]
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
