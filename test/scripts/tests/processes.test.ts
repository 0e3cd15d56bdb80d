import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { entriesOf, testFiles } from '../../../scripts/tests/processes.js'
import { apart } from '../../helpers/apart.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

t.test('a test file in a new folder is run', async t => {
  const probe = { 'probe.test.ts': '', 'helper.ts': '' }
  const folder = t.testdir({
    'package.json': await readFile(join(root, 'package.json'), 'utf8'),
    test: { 'top.test.ts': '', 'odd.alone.test.ts': '', 'other.alone.test.ts': '', new: { deep: probe } }
  })
  const found = ['new/deep/probe.test.ts', 'odd.alone.test.ts', 'other.alone.test.ts', 'top.test.ts'].map(path =>
    join(folder, 'test', path)
  )
  t.strictSame(testFiles(join(folder, 'test')), found)

  t.test('by the whole suite, in one of several processes or in its own', async t => {
    const entries = await entriesOf(found, join(folder, 'entries'))
    const [probe, alone, other, top] = found
    const imported = await Promise.all(
      entries.map(async entry => ((await readFile(entry, 'utf8')).match(/file:[^"]+\.test\.ts/g) ?? []).map(url => fileURLToPath(url)))
    )
    t.strictSame(imported[0], [alone])
    for (const sharing of [...imported.slice(1, 4), ...imported.slice(-1)]) t.strictSame(sharing, [probe, top])
    t.strictSame(imported.at(-2), [other], 'files with their own process run one after the other')
  })

  t.test('by tap itself', async t => {
    const { stdout } = await promisify(execFile)(...apart(join(root, 'node_modules/tap/dist/esm/run.mjs'), 'list'), { cwd: folder })
    t.strictSame(stdout.trim().split('\n'), [
      'test/new/deep/probe.test.ts',
      'test/odd.alone.test.ts',
      'test/other.alone.test.ts',
      'test/top.test.ts'
    ])
  })
})

t.test('an error that nobody catches fails the process of its test', async t => {
  const uncaught = `import t from 'tap'
    t.test('passes too early', async t => {
      setTimeout(() => FAILURE, 50)
      t.pass()
    })
    t.test('is running by then', () => new Promise(resolve => setTimeout(resolve, 500)))`
  const folder = t.testdir({
    'thrown.mjs': uncaught.replace('FAILURE', "{ throw new Error('nobody catches this') }"),
    'rejected.mjs': uncaught.replace('FAILURE', "Promise.reject(new Error('nobody catches this'))"),
    'none.mjs': uncaught.replace('FAILURE', '{}')
  })
  const run = async (name: string) => {
    const [, entry] = await entriesOf([join(folder, name), join(folder, 'x.alone.test.ts')], join(folder, 'entries', name))
    return promisify(execFile)(...apart(String(entry))).then(
      () => 'passed',
      ({ code, stdout, stderr }) => ({ code, said: stdout + stderr })
    )
  }
  for (const name of ['thrown.mjs', 'rejected.mjs']) t.match(await run(name), { code: 1, said: /nobody catches this/ }, name)
  t.equal(await run('none.mjs'), 'passed')
})

t.test('processes that share files run each file once', async t => {
  const names = ['a.mjs', 'b.mjs', 'c.mjs', 'd.mjs']
  const program = `import { appendFileSync } from 'node:fs'
    import t from 'tap'
    t.test('takes a while', () => new Promise(resolve => setTimeout(resolve, 200)))
    t.test('says so', async t => {
      appendFileSync(new URL('./ran', import.meta.url), new URL(import.meta.url).pathname.slice(-5) + ' ')
      t.pass()
    })`
  const folder = t.testdir(Object.fromEntries(names.map(name => [name, program])))
  const entries = await entriesOf(
    names.map(name => join(folder, name)),
    join(folder, 'entries')
  )
  t.equal(entries.length, 4)
  await Promise.all(entries.map(entry => promisify(execFile)(...apart(entry))))
  t.strictSame((await readFile(join(folder, 'ran'), 'utf8')).trim().split(' ').sort(), names)
})

t.test('a process that cannot mark its files fails', async t => {
  const folder = t.testdir({ 'a.mjs': "import t from 'tap'\nt.pass()" })
  const [entry] = await entriesOf([join(folder, 'a.mjs')], join(folder, 'entries'))
  await rm(join(folder, 'entries', 'taken'), { recursive: true })
  await t.rejects(promisify(execFile)(...apart(String(entry))), { code: 1 })
})
