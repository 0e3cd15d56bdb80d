import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ErrorAnswer } from '../../../src/errors.js'
import { receive } from '../../../src/import/upload/receive.js'

const patient = { idleTimeout: 60_000, signal: new AbortController().signal }

/** An upload that has begun, as its receiver and as its caller see it. */
const begun = async (t: Test) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const caller = request({ port: (server.address() as AddressInfo).port, method: 'POST', agent: false }).on('error', () => {})
  caller.write('one\n')
  const [upload, response] = (await once(server, 'request')) as [IncomingMessage, { end: () => void }]
  t.teardown(() => {
    response.end()
    caller.destroy()
  })
  return { caller, upload, path: join(t.testdir(), 'file') }
}

const statusOf = (receiving: Promise<void>) =>
  receiving.then(
    () => 'received',
    ({ statusCode }: ErrorAnswer) => statusCode
  )

t.test('what a caller sends is in the file', async t => {
  const { caller, upload, path } = await begun(t)
  caller.end('two\n')
  t.equal(await statusOf(receive(upload, path, patient)), 'received')
  t.equal(readFileSync(path, 'utf8'), 'one\ntwo\n')
  t.equal(upload.socket.timeout, 0, 'the caller may wait for the import without a timeout')
})

t.test('a silent caller gets a 408', async t => {
  const { upload, path } = await begun(t)
  t.equal(await statusOf(receive(upload, path, { ...patient, idleTimeout: 100 })), 408)
})

t.test('a caller who hangs up ends the upload', async t => {
  const { caller, upload, path } = await begun(t)
  const receiving = statusOf(receive(upload, path, patient))
  caller.destroy()
  t.equal(await receiving, 400)
})

t.test('a service that stops ends the upload', async t => {
  const { upload, path } = await begun(t)
  const stop = new AbortController()
  const receiving = statusOf(receive(upload, path, { ...patient, signal: stop.signal }))
  stop.abort()
  t.equal(await receiving, 503)
  const late = await begun(t)
  t.equal(await statusOf(receive(late.upload, late.path, { ...patient, signal: stop.signal })), 503, 'no upload begins after the signal')
})

t.test('a file that cannot be written ends the upload', async t => {
  const { upload, path } = await begun(t)
  await t.rejects(receive(upload, join(path, 'below'), patient), { code: 'ENOENT' })
})
