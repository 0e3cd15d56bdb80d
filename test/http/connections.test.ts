import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import t, { type Test } from 'tap'
import { type Json, UnjoinedJson } from '../../src/catalogue/bytes.js'
import { ErrorAnswer } from '../../src/errors.js'
import { securityHeaders } from '../../src/http/reply.js'
import { assertFailure } from '../helpers/answers.js'
import { type App, addUser, build, password, signIn } from '../helpers/app.js'
import { connected, listening, parsed, talk } from '../helpers/sockets.js'
import { closedGate, until } from '../helpers/until.js'

t.test('requests that the parser refuses', async t => {
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
        t.match(response.headers, { 'cache-control': 'no-store', ...securityHeaders })
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
})

t.test('replies that cannot be sent', async t => {
  const config = { admission: 'public' } as const

  const internal = { success: false, code: 500, message: 'Internal server error' }

  /** Answers whose sending throws, each in another way. */
  const unsendable: Record<string, (reply: FastifyReply) => unknown> = {
    '/line-break': reply => reply.header('content-language', 'en\nx').send({ success: true }),
    '/beyond-latin1': reply => reply.header('content-language', '日本').send({ success: true }),
    '/header-name': reply => reply.header('a b', 'c').send({ success: true }),
    '/not-modified': reply => reply.header('content-language', 'en\n').code(304).send(),
    '/no-content': reply => reply.header('content-language', 'en\n').code(204).send(),
    '/payload': reply => reply.serializer(() => 5 as never).send({ success: true }),
    '/failure': () => {
      throw new ErrorAnswer(404, { success: false, code: 404, message: 'Not here' }, { 'x-why': 'a\nb' })
    }
  }
  /** Where Node has begun a 204 or 304, it goes on suppressing the body. */
  const bodies = new Map([
    ['/not-modified', ''],
    ['/no-content', '']
  ])

  const listening = async (t: Test, log: string[] = []) => {
    const app = await build(t, {
      log,
      settings: { CORS_ORIGIN: 'https://a.example' },
      extend: app => {
        for (const [path, send] of Object.entries(unsendable)) app.get(path, { config }, async (_request, reply) => send(reply))
        app.get('/begun', { config }, async (_request, reply) => {
          reply.raw.writeHead(200, { 'content-length': '100' })
          reply.raw.write('the first words')
          return { success: true }
        })
        app.get('/fine', { config }, async () => ({ success: true }))
      }
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app
  }

  const errorsIn = (log: string[]) => log.map(line => JSON.parse(line)).filter(({ level }) => level >= 40)

  t.test('an answer that cannot be sent is a 500, whatever kept it from being sent', async t => {
    const log: string[] = []
    const app = await listening(t, log)
    for (const url of Object.keys(unsendable)) {
      log.length = 0
      const { statusCode, headers, ...response } = await app.inject({ url, headers: { origin: 'https://a.example' } })
      t.strictSame([statusCode, response.body], [500, bodies.get(url) ?? JSON.stringify(internal)], url)
      t.match(
        headers,
        {
          'content-type': 'application/json; charset=utf-8',
          'content-length': String(Buffer.byteLength(response.body)),
          'cache-control': 'no-store',
          'access-control-allow-origin': 'https://a.example',
          'x-content-type-options': 'nosniff'
        },
        url
      )
      t.notOk(headers['content-language'] ?? headers.etag, url)
      const [told, ...others] = errorsIn(log)
      t.match(told, { level: 50, reqId: headers['x-request-id'], err: { stack: /\w/ }, msg: 'request failed' }, url)
      t.strictSame(others, [], url)
    }
  })

  t.test('over a connection it is answered in its turn, and so are the others of the same turn', async t => {
    const app = await listening(t)
    const socket = await connected(app)
    const paths = ['/fine', ...Object.keys(unsendable), '/fine']
    for (const path of paths) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    socket.write('HEAD /line-break HTTP/1.1\r\nHost: x\r\n\r\nGET /fine HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const answers = (await text(socket)).split(/(?=HTTP\/1\.1 )/)
    const statuses = answers.map(answer => Number(answer.slice(9, 12)))
    t.strictSame(statuses, [200, ...Object.keys(unsendable).map(() => 500), 200, 500, 200])
    for (const [i, answer] of answers.slice(1, -3).entries())
      t.equal(answer.split('\r\n\r\n')[1], bodies.get(paths[i + 1] as string) ?? JSON.stringify(internal))
    t.equal(answers.at(-2)?.split('\r\n\r\n')[1], '', 'HEAD has no body')
  })

  t.test('an answer whose head was already sent ends its connection', async t => {
    const log: string[] = []
    const app = await listening(t, log)
    const socket = await connected(app)
    socket.write('GET /begun HTTP/1.1\r\nHost: x\r\n\r\n')
    const answer = await text(socket).catch(() => '')
    t.notMatch(answer, /Internal server error/)
    t.ok(errorsIn(log).some(({ level }) => level === 50))
    t.equal((await app.inject('/fine')).statusCode, 200)
  })
})

t.test('pipelined requests', async t => {
  const config = { admission: 'public' } as const

  const listening = async (t: Test) => {
    const app = await build(t, {
      extend: app => {
        app.get('/slow', { config }, async () => sleep(300, { success: true, data: 'slow' }))
        app.get('/fast', { config }, () => ({ success: true, data: 'fast' }))
      }
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app
  }

  const request = (path: string, method = 'GET', more = '') => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

  /** Sends it all at once, and gives the status and the data or message of each answer. */
  const talk = async (app: App, bytes: string, send: (socket: Socket) => void = socket => socket.write(bytes)) => {
    const socket = await connected(app)
    send(socket)
    const answers = (await text(socket)).split(/(?=HTTP\/1\.1 \d)/).filter(answer => answer !== '')
    return answers.map(answer => {
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      const { data, message } = body ? JSON.parse(body) : {}
      return [Number(head.slice(9, 12)), data?.status ?? data ?? message ?? '']
    })
  }

  const malformed = [400, 'The request is malformed']
  const slow = [200, 'slow']
  const garbage = 'nonsense\r\n\r\n'

  t.test('what cannot be parsed ends the connection, and nobody takes the error for the response to an earlier request', async t => {
    const app = await listening(t)
    const chunked = 'Transfer-Encoding: chunked\r\n'
    const cases: Record<string, [string, unknown[]]> = {
      'one slow': [request('/slow') + garbage, []],
      'fast behind slow': [request('/slow') + request('/fast').repeat(3) + garbage, []],
      'headers that are too large': [request('/slow') + request('/fast', 'GET', `x: ${'x'.repeat(40_000)}\r\n`), []],
      'a body that breaks': [`${request('/slow') + request('/login', 'POST', chunked)}zz\r\n{}\r\n0\r\n\r\n${request('/fast')}`, []],
      'a body that breaks behind none': [`${request('/login', 'POST', chunked)}zz\r\n{}\r\n0\r\n\r\n`, [malformed]],
      'a body that is of no use and breaks': [`${request('/slow', 'GET', chunked)}2\r\n{}\r\nzz\r\n`, [malformed]],
      CONNECT: ['CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', [malformed]],
      'CONNECT behind slow': [`${request('/slow')}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`, []],
      'an expectation': [
        `${request('/slow')}POST /login HTTP/1.1\r\nHost: x\r\nExpect: the-moon\r\nContent-Length: 2\r\n\r\n{}`,
        [slow, [417, 'The only expectation that can be met is 100-continue']]
      ]
    }
    for (const [what, [bytes, expected]] of Object.entries(cases)) t.strictSame(await talk(app, bytes), expected, what)

    t.test('garbage that goes on changes nothing', async t => {
      const answers = await talk(app, '', async socket => {
        for (let i = 0; i < 5; i++) {
          socket.write(garbage)
          await sleep(20)
        }
      })
      t.strictSame(answers, [malformed])
    })

    t.test('a caller who hangs up meanwhile leaves nothing behind', async t => {
      const warnings: Error[] = []
      const onWarning = (warning: Error) => warnings.push(warning)
      process.on('warning', onWarning)
      const connections = () => new Promise<number>(resolve => app.server.getConnections((_error, count) => resolve(count)))
      for (const how of ['destroy', 'resetAndDestroy', 'end'] as const)
        for (const after of [0, 5, 50, 320]) {
          const socket = await connected(app)
          socket.write(request('/slow') + request('/fast').repeat(20) + garbage)
          await sleep(after)
          socket[how]()
          if (how === 'end') socket.resume()
        }
      await until(async () => (await connections()) === 0)
      process.off('warning', onWarning)
      t.strictSame(warnings, [])
      t.strictSame(await talk(app, garbage), [malformed])
    })
  })
})

t.test('large answers', async t => {
  const path = (name: string, length: number | string) => `/large/${name}/${length}`
  const sent: ArrayBufferLike[] = []
  let latest: Socket | undefined
  const gate = closedGate()
  const app = await build(t, {
    extend: app => {
      app.get('/gate', { config: { admission: 'public' } }, async () => gate.opened)
      app.get<{ Params: { name: string; length: string } }>(
        path(':name', ':length'),
        { config: { admission: 'public' } },
        ({ params: { name, length } }, reply) => reply.json(new UnjoinedJson([Buffer.from(name.repeat(Number(length)))]) as Json<unknown>)
      )
      app.addHook('onSend', async ({ raw }, _reply, payload) => {
        sent.push((payload as Buffer).buffer)
        latest = raw.socket
      })
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const readEach = async (names: string, length: number) => {
    for (const name of names) {
      const response = await fetch(`http://127.0.0.1:${port}${path(name, length)}`)
      t.equal(response.headers.get('content-length'), String(length))
      t.ok((await response.text()) === name.repeat(length), `${length} x ${name}`)
    }
  }

  t.test('are sent from one buffer if they come one after the other', async t => {
    await readEach('ab', 400_000)
    await readEach('cd', 100_000)
    t.equal(new Set(sent).size, 1)
    await readEach('ef', 600_000)
    t.equal(new Set(sent).size, 3, 'unless they are too large for it')
  })

  t.test('that nobody reads are bounded in sum: the connection with the most is closed', async t => {
    const get = path('z', 30_000_000)
    const ask = async (times: number) => {
      const socket = (await connected(app)).pause()
      socket.write(`GET ${get} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times))
      return socket
    }
    const before = sent.length
    const other = await ask(1)
    await until(() => sent.length === before + 1)
    const connection = latest as Socket
    await ask(5)
    await until(() => sent.length === before + 6 && latest?.destroyed === true)
    t.notOk(connection.destroyed)
    other.destroy()
    await until(() => connection.closed)
  })

  t.test('give their buffers back if the caller hangs up before their turn', async t => {
    const socket = await connected(app)
    const before = sent.length
    for (const each of ['/gate', path('i', 100_000), path('j', 100_000)]) socket.write(`GET ${each} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await until(() => sent.length === before + 2)
    const lent = sent.slice(before)
    const closed = once(latest as Socket, 'close')
    socket.destroy()
    await closed
    await readEach('kl', 100_000)
    t.ok(lent.includes(sent.at(-1) as ArrayBufferLike))
    gate.open()
  })

  t.test('reach a caller who reads late as they were sent', async t => {
    const socket = await connected(app)
    const names = [...'abcdefghijklmnopqrstuvwxyz'.repeat(2)]
    for (const name of names) socket.write(`GET ${path(name, 500_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    // The system takes some megabytes.
    await until(() => (latest?.writableLength ?? 0) > 0)
    await readEach('0123456789', 500_000)
    const bodies = (await text(socket))
      .split(/HTTP\/1\.1 200 OK\r\n/)
      .slice(1, -1)
      .map(answer => answer.split('\r\n\r\n')[1])
    t.equal(bodies.length, names.length)
    t.ok(bodies.every((body, i) => body === names[i]?.repeat(500_000)))
  })
})
