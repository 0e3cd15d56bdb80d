import t from 'tap'
import { assertFailure } from '../helpers/answers.js'
import { addUser, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { listening, parsed, talk } from '../helpers/sockets.js'
import { until } from '../helpers/until.js'

const key = 'a key of the tests that nobody guesses'

// Slow, because the 10 seconds are not a setting.
t.test('a request that does not arrive within 10 seconds', async t => {
  const app = await listening(t, { LOGIN_LIMIT: '0', IMPORT_KEY: key })
  const credentials = JSON.stringify({ email: (await addUser(app)).email, password })
  const close = 'Host: x\r\nConnection: close\r\n'
  const start = performance.now()
  const timed = async (...pieces: (string | number)[]) => {
    const answer = await talk(app, ...pieces)
    return { ...parsed(answer), times: answer.match(/HTTP\/1\.1 \d/g)?.length, seconds: (performance.now() - start) / 1000 }
  }
  const trickle = Array.from({ length: 28 }, () => [500, 'x']).flat()
  const late = {
    'a head': timed('GET /health HTTP/1.1\r\nHost: x\r\n'),
    'a head that trickles': timed('GET /health HTTP/1.1\r\nx: ', ...trickle),
    'a body': timed('POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"email"'),
    'a body that trickles': timed('POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"email":"', ...trickle),
    'a body in chunks': timed('POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n')
  }
  const behind = talk(app, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /terms/5 HTTP/1.1\r\nHost: x\r\n\r\nGET /health HTTP/1.1\r\n')
  const slow = {
    'a body of 4 s': timed(`POST /login HTTP/1.1\r\n${close}Content-Length: ${credentials.length}\r\n\r\n`, 4000, credentials),
    'a body of 8 s': timed(
      `POST /login HTTP/1.1\r\n${close}Content-Length: ${credentials.length}\r\n\r\n${credentials.slice(0, 9)}`,
      8000,
      credentials.slice(9)
    ),
    'an import of 13 s': timed(
      `POST /import/contents HTTP/1.1\r\n${close}Authorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      ...Array.from({ length: 13 }, (): [number, string] => [1000, '1\r\n\n\r\n']).flat(),
      '0\r\n\r\n'
    ),
    'a head of 8 s': timed('GET /health HTTP/1.1\r\n', 8000, `${close}\r\n`)
  }
  for (const [what, answer] of Object.entries(slow)) t.equal((await answer).statusCode, 200, `${what} is in time`)
  for (const [what, answer] of Object.entries(late)) {
    const response = await answer
    assertFailure(t, response, 408, what)
    t.equal(response.times, 1, what)
    t.ok(response.seconds >= 9.5 && response.seconds < 14, `${what}: ${response.seconds} s`)
  }
  t.strictSame((await behind).match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '404', '408'], 'the requests before the slow one were answered')
})

t.test('an upload that a stopping service does not wait for', async t => {
  const app = await listening(t, { IMPORT_KEY: key })
  const head = `POST /import/contents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 9\r\n\r\n`
  const answer = talk(app, head)
  await until(
    async () =>
      (await databaseOf(app)
        .collection('leases')
        .countDocuments({ holder: { $exists: true } })) > 0
  )
  const closed = app.close()
  assertFailure(t, parsed(await answer), 503, 'the caller is asked to come back later')
  await closed
})
