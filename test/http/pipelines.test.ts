import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type App, build } from '../helpers/app.js'
import { connected } from '../helpers/sockets.js'
import { until } from '../helpers/until.js'

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
  const answers = (await text(socket)).split(/(?=HTTP\/1\.1 \d)/)
  return answers.map(answer => {
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    const { data, message } = body ? JSON.parse(body) : {}
    return [Number(head.slice(9, 12)), data?.status ?? data ?? message ?? '']
  })
}

const malformed = [400, 'The request is malformed']
const [fast, slow] = [
  [200, 'fast'],
  [200, 'slow']
]
const garbage = 'nonsense\r\n\r\n'

t.test('what was well-formed is answered first and in order, then the fault, which ends the connection', async t => {
  const app = await listening(t)
  const chunked = 'Transfer-Encoding: chunked\r\n'
  const cases: Record<string, [string, unknown[]]> = {
    'one fast': [request('/fast') + garbage, [fast, malformed]],
    'two fast': [request('/fast').repeat(2) + garbage, [fast, fast, malformed]],
    'one slow': [request('/slow') + garbage, [slow, malformed]],
    'fast behind slow': [request('/slow') + request('/fast').repeat(3) + garbage, [slow, fast, fast, fast, malformed]],
    'slow behind fast': [request('/fast') + request('/slow').repeat(2) + garbage, [fast, slow, slow, malformed]],
    'from the database': [request('/terms/5') + request('/fast') + garbage, [[404, 'Resource not found'], fast, malformed]],
    'a HEAD': [request('/slow', 'HEAD') + request('/fast') + garbage, [[200, ''], fast, malformed]],
    'a HEAD at the end': [request('/fast') + request('/slow', 'HEAD') + garbage, [fast, [200, ''], malformed]],
    'a refused one': [request('/nothing', 'POST') + garbage, [[404, 'Resource not found'], malformed]],
    'headers that are too large': [
      request('/slow') + request('/fast') + request('/fast', 'GET', `x: ${'x'.repeat(40_000)}\r\n`),
      [slow, fast, [431, 'The headers are too large']]
    ],
    'a body that breaks': [
      `${request('/slow') + request('/login', 'POST', chunked)}zz\r\n{}\r\n0\r\n\r\n${request('/fast')}`,
      [slow, malformed]
    ],
    'a body that breaks behind none': [`${request('/login', 'POST', chunked)}zz\r\n{}\r\n0\r\n\r\n`, [malformed]],
    'a body that is of no use and breaks': [`${request('/slow', 'GET', chunked)}2\r\n{}\r\nzz\r\n`, [malformed]],
    CONNECT: [`${request('/slow') + request('/fast')}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`, [slow, fast, malformed]],
    'an expectation': [
      `${request('/slow')}POST /login HTTP/1.1\r\nHost: x\r\nExpect: the-moon\r\nContent-Length: 2\r\n\r\n{}`,
      [slow, [417, 'No expectation but 100-continue can be met']]
    ],
    'a connection that was to end': [request('/slow', 'GET', 'Connection: close\r\n') + garbage, [slow]]
  }
  for (const [what, [bytes, expected]] of Object.entries(cases)) t.strictSame(await talk(app, bytes), expected, what)

  t.test('garbage that goes on changes nothing', async t => {
    const answers = await talk(app, '', async socket => {
      socket.write(request('/slow') + request('/fast') + garbage)
      for (let i = 0; i < 5; i++) {
        await sleep(20)
        socket.write(garbage)
      }
    })
    t.strictSame(answers, [slow, fast, malformed])
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
    t.strictSame(await talk(app, request('/fast') + garbage), [fast, malformed])
  })
})
