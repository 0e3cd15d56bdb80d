import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { root } from '../../scripts/root.js'
import { apart } from '../helpers/apart.js'
import { built, runFolder } from '../helpers/run.js'

t.test('a test file in a new folder is run', async t => {
  const folder = t.testdir({
    'package.json': readFileSync(join(root, 'package.json'), 'utf8'),
    built: { test: { 'top.test.js': '', 'helper.js': '', new: { deep: { 'probe.test.js': '', 'helper.js': '' } } } }
  })
  const { stdout } = await promisify(execFile)(...apart(join(root, 'node_modules/tap/dist/esm/run.mjs'), 'list'), { cwd: folder })
  t.strictSame(stdout.trim().split('\n'), ['built/test/new/deep/probe.test.js', 'built/test/top.test.js'])
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
