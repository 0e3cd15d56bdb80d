import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { importUpload, removeLeftovers } from '../../../src/import/upload/import.js'

t.test('files that a killed process left behind are removed, and none of a living one', async t => {
  const folderOf = (pid: number) => mkdtemp(join(tmpdir(), `viewer-import-${pid}-`))
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const folders = [await folderOf(ended), await folderOf(process.pid), await folderOf(process.ppid)]
  t.teardown(() => rm(String(folders[2]), { recursive: true }))
  await removeLeftovers()
  t.strictSame(folders.map(existsSync), [false, false, true])
})

t.test('no import begins while the service is stopping', async t => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const caller = request({ port: (server.address() as AddressInfo).port, method: 'POST', agent: false }).on('error', () => {})
  t.teardown(() => caller.destroy())
  caller.end('{}')
  const [upload] = (await once(server, 'request')) as [IncomingMessage]
  const { signal } = new AbortController()
  const order = { url: 'mongodb://127.0.0.1:1', prune: false, issuer: undefined, completedAt: 90, signal, isStopping: () => true }
  t.strictSame(await importUpload(upload, 'contents', order), { status: 'interrupted' })
})
