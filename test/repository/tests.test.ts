import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { apart } from '../helpers/apart.js'
import { folderOf } from '../helpers/folder.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

t.test('a test file in a new folder is run', async t => {
  const folder = t.testdir({
    'package.json': readFileSync(join(root, 'package.json'), 'utf8'),
    test: { 'top.test.ts': '', 'helper.ts': '', new: { deep: { 'probe.test.ts': '', 'helper.ts': '' } } }
  })
  const { stdout } = await promisify(execFile)(...apart(join(root, 'node_modules/tap/dist/esm/run.mjs'), 'list'), { cwd: folder })
  t.strictSame(stdout.trim().split('\n'), ['test/new/deep/probe.test.ts', 'test/top.test.ts'])
})

t.test('mongod ends with its run, even if tap was killed', async t => {
  const folder = join(folderOf(t), 'run')
  mkdirSync(folder)
  const tap = spawn('sleep', ['600'])
  const program = join(root, 'test/helpers/mongod.ts')
  const keeper = spawn(...apart('--import', 'tsx', program, `${tap.pid}`, folder), {
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
