import { text } from 'node:stream/consumers'
import type { FastifyReply } from 'fastify'
import t, { type Test } from 'tap'
import { ErrorAnswer } from '../../src/errors.js'
import { build } from '../helpers/app.js'
import { connected } from '../helpers/sockets.js'

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
    t.strictSame([statusCode, response.json()], [500, internal], url)
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
  for (const answer of answers.slice(1, -3)) t.strictSame(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''), internal)
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
