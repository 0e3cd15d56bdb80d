import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { assertFailure } from '../helpers/answers.js'
import { addUser, password, signIn } from '../helpers/app.js'
import { listening, parsed, talk } from '../helpers/sockets.js'

t.test('headers count however many came before them', async t => {
  const app = await listening(t)
  const { authorization } = await signIn(app)
  const head = `GET /history HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'a:\r\n'.repeat(3000)}Authorization: ${authorization}\r\n\r\n`
  t.equal(parsed(await talk(app, head)).statusCode, 200)
})

t.test('over a socket', async t => {
  const app = await listening(t, { LOGIN_LIMIT: '0' })
  const { email } = await addUser(app)
  const credentials = JSON.stringify({ email, password })
  const { port } = app.server.address() as AddressInfo
  const close = 'Host: x\r\nConnection: close\r\n'

  const answers: [string, number, string | Buffer][] = [
    ['garbage', 400, 'nonsense\r\n\r\n'],
    ['bytes', 400, Buffer.from([0, 1, 2, 255, 13, 10, 13, 10])],
    ['the greeting of TLS', 400, Buffer.from('1603010200010001fc0303', 'hex')],
    ['an unknown method', 400, 'NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a wrong version', 400, 'GET /health HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['the greeting of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a header without a colon', 400, 'GET /health HTTP/1.1\r\nHost x\r\n\r\n'],
    ['a space in a header name', 400, 'GET /health HTTP/1.1\r\nHost: x\r\na b: c\r\n\r\n'],
    ['a length that is no number', 400, 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n'],
    ['a length below 0', 400, 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['two lengths', 400, 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a length and chunks', 400, 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a chunk without a size', 400, `POST /login HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['no Host', 400, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts', 400, `GET /health HTTP/1.1\r\nhost: y\r\n${close}\r\n`],
    ['two Hosts in HTTP/1.0', 400, 'GET /health HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n'],
    ['huge headers', 431, `GET /health HTTP/1.1\r\nHost: x\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['a huge address', 431, `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a huge token', 431, `POST /logout HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'x'.repeat(40_000)}\r\n\r\n`],
    ['a body that is too large', 413, `POST /login HTTP/1.1\r\n${close}Content-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`],
    [
      'chunks that are too large',
      413,
      `POST /login HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\n${`4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(5)}0\r\n\r\n`
    ],
    ['an unknown path with a large body', 404, `POST /nothing HTTP/1.1\r\n${close}Content-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`],
    ['an address that is a star', 404, `OPTIONS * HTTP/1.1\r\n${close}\r\n`],
    ['an expectation that nobody meets', 417, `POST /login HTTP/1.1\r\n${close}Expect: the-moon\r\nContent-Length: 2\r\n\r\n{}`]
  ]
  for (const [what, status, bytes] of answers) {
    t.test(what, async t => {
      const answer = await talk(app, bytes)
      t.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1, 'there is only one response')
      const response = parsed(answer)
      assertFailure(t, response, status, what)
      t.notMatch(response.body, /HPE_|ERR_|Error/, 'nothing of the parser is visible')
      t.equal(Number(response.headers['content-length']), Buffer.byteLength(response.body))
      t.equal(response.headers['cache-control'], 'no-store')
    })
  }

  t.test('a fault after a good request', async t => {
    const answer = await talk(app, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n', 50, 'nonsense\r\n\r\n')
    const [good, bad] = answer.split(/(?=HTTP\/1\.1 )/)
    t.match(good, /^HTTP\/1\.1 200 /)
    assertFailure(t, parsed(bad ?? ''), 400, 'the second request')
  })

  t.test('serves addresses with a host, and requests that wait to be continued', async t => {
    t.equal(parsed(await talk(app, `GET http://x/health HTTP/1.1\r\n${close}\r\n`)).statusCode, 200)
    const head = `POST /login HTTP/1.1\r\n${close}Expect: 100-continue\r\nContent-Length: ${credentials.length}\r\n\r\n`
    const answer = await talk(app, head, 20, credentials)
    t.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })

  t.test('a body that comes in pieces, and in chunks', async t => {
    const headers = { 'content-type': 'application/json' }
    const send = async (body: string[]) => {
      const sent = request({ port, path: '/login', method: 'POST', headers, agent: false })
      for (const piece of body) {
        sent.write(piece)
        await sleep(2)
      }
      sent.end()
      const [response] = await once(sent, 'response')
      return { statusCode: response.statusCode, body: await text(response) }
    }
    const signedIn = await send([...(credentials.match(/.{1,10}/g) ?? [])])
    t.equal(signedIn.statusCode, 200)
    t.match(JSON.parse(signedIn.body), { success: true })
  })

  t.test('a caller who leaves in the middle of a head or a body harms nobody', async t => {
    const begun = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"email"'
    for (const bytes of Array.from({ length: 10 }, () => [begun, begun.slice(0, 30)]).flat()) {
      const socket = connect(port, '127.0.0.1')
      const left = once(app.server, 'clientError')
      await once(socket, 'connect')
      socket.write(bytes)
      await sleep(5)
      socket.resetAndDestroy()
      // Which of the two codes comes depends on what Node was doing just then.
      const [{ code }, connection] = (await left) as [NodeJS.ErrnoException, Socket]
      t.match(code, /^(ECONNRESET|HPE_INVALID_EOF_STATE)$/)
      if (!connection.destroyed) await once(connection, 'close')
    }
    t.equal((await app.inject('/health')).statusCode, 200)
  })
})
