import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import { build } from '../helpers/app.js'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const isThere = (path: string) => existsSync(new URL(`../../${path}`, import.meta.url))

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
  t.strictSame(entrypoint, String(scripts.start).split(' ').slice(0, -1), 'with the flags of npm start')
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
  t.match(compose, `command: [dist/scripts/serve-demo.js]`, 'with the thumbnails of the demo')
  t.ok(built.includes('scripts/serve-demo.ts'))
  t.match(compose, /^ {2}attach: false$/m, 'only the log of the service is shown')
  t.match(compose, 'shutdownTimeoutMillisForSignaledShutdown=100', 'a member stops before Docker kills it')
  const patience = Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])
  t.ok(patience > 11, 'Docker waits for the service to stop')
})

t.test('the documents say how to start it, and which commands it has', async t => {
  for (const path of ['README.md', 'docs/operations.md', 'compose.yaml']) {
    const text = await read(path)
    t.match(text, 'echo "JWT_SECRET=$(openssl rand -base64 48)" >> .env', `${path}: a secret that later commands find as well`)
    t.match(text, 'docker compose up -d --build', path)
  }
  const commands = [...(await read('docs/operations.md')).matchAll(/docker compose run .*viewer dist\/(\S+)\.js/g)].map(([, name]) =>
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
