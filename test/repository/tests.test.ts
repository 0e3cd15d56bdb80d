import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { root } from '../../scripts/root.js'
import { apart } from '../helpers/apart.js'
import { built, runFolder } from '../helpers/run.js'

t.test('every test file is run, and once', async t => {
  const { stdout } = await promisify(execFile)(...apart(join(root, 'node_modules/tap/dist/esm/run.mjs'), 'list'), { cwd: root })
  const groups = stdout.trim().split('\n')
  const texts = groups.map(path => readFileSync(join(root, path), 'utf8'))
  const imported = texts.flatMap(text => [...text.matchAll(/^import '\.\.\/(.+)\.js';$/gm)].map(([, path]) => `${path}.ts`))
  const files = readdirSync(join(root, 'test'), { recursive: true }).filter(path => String(path).endsWith('.test.ts'))
  t.strictSame(imported.sort(), files.sort())
})

t.test('mongod ends with its run, even if tap was killed', async t => {
  const tap = spawn('sleep', ['600'])
  const folder = runFolder(Number(tap.pid))
  const keeper = spawn(...apart(built('test/helpers/mongod.js'), `${tap.pid}`), {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  const exit = once(keeper, 'exit')
  t.strictSame((await once(keeper, 'message'))[0], 'running')
  const { url } = JSON.parse(readFileSync(join(folder, 'mongod.json'), 'utf8'))
  const client = await MongoClient.connect(url, { serverSelectionTimeoutMS: 500 })
  t.teardown(() => client.close())
  t.match(await client.db('admin').command({ ping: 1 }), { ok: 1 })

  tap.kill('SIGKILL')
  await exit
  t.notOk(existsSync(folder))
  await t.rejects(client.db('admin').command({ ping: 1 }))
})
