import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { removeLeftovers } from '../../../src/import/upload/import.js'

t.test('what a killed process left behind is removed, and nothing of a living one', async t => {
  const folderOf = (pid: number) => mkdtemp(join(tmpdir(), `viewer-import-${pid}-`))
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const folders = [await folderOf(ended), await folderOf(process.pid), await folderOf(process.ppid)]
  t.teardown(() => rm(String(folders[2]), { recursive: true }))
  await removeLeftovers()
  t.strictSame(folders.map(existsSync), [false, false, true])
})
