import { connect } from 'node:http2'
import { freePort } from '../../free-port.js'
import { type Finding, milliseconds, promised } from '../../soak/promises.js'
import { insider, type Program, type RunningProxy, startProxy } from './program.js'
import { type Received, type Recorder, startRecorder } from './recorder.js'
import { isError, type Sender, sender, slowly } from './send.js'

/** A body that takes about half a second to arrive. */
const dripping = () => slowly(Array<string>(10).fill('x'.repeat(10)), 50)
const megabyte = Buffer.alloc(1024 * 1024, 'x')
const forged = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'evil.example.com',
  forwarded: 'for=203.0.113.9;host=evil.example.com',
  'x-country': 'NL'
}
/** What the service may see of the forged headers. */
const genuine = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'localhost' }

/** Tests what reaches the service, with servers in its place that record it. */
export const passing = async (program: Program): Promise<Finding[]> => {
  const recorder = await startRecorder()
  const proxy = await startProxy(program, [recorder.port, recorder.port, recorder.port])
  const { send, close } = sender(proxy)
  try {
    return [
      await headers(send),
      await http2(proxy),
      await redirect(proxy),
      await slowCaller(send, recorder),
      await hugeImport(send, recorder),
      await keptConnections(send, recorder),
      // Each of these makes the proxy leave a server alone for a while.
      await neverTwice(send, recorder),
      await sentAgain(send, recorder)
    ]
  } finally {
    close()
    await proxy.stop()
    recorder.stop()
  }
}

const receivedOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()) as Received

const headers = async (send: Sender['send']) => {
  const { headers } = receivedOf(await send({ path: '/terms', headers: forged }))
  const seen = headers.filter(([name]) => name in forged)
  const expected = Object.entries(genuine)
  const isGenuine = seen.length === expected.length && expected.every(([name, value]) => seen.some(([n, v]) => n === name && v === value))
  return promised('forwarded headers of callers are overwritten', isGenuine, seen.map(pair => pair.join(': ')).join(', '))
}

const http2 = async ({ https, certificate }: RunningProxy) => {
  const session = connect(`https://localhost:${https}`, {
    ...certificate,
    host: '127.0.0.1',
    lookup: (_, __, found) => found(null, '127.0.0.1', 4)
  })
  const stream = session.request({ ':path': '/terms' })
  const status = await new Promise(resolve => {
    session.on('error', resolve)
    stream.on('error', resolve)
    stream.on('response', headers => resolve(headers[':status']))
  })
  const { alpnProtocol } = session
  session.destroy()
  return promised('callers may use HTTP/2', status === 200 && alpnProtocol === 'h2', `${status} over ${alpnProtocol}`)
}

const redirect = async ({ http }: RunningProxy) => {
  const { status, headers } = await fetch(`http://localhost:${http}/terms?page=2`, { redirect: 'manual' })
  const location = headers.get('location') ?? ''
  const isRedirected = status === 308 && /^https:\/\/localhost(:\d+)?\/terms\?page=2$/.test(location)
  return promised('plain HTTP is redirected', isRedirected, `${status} to ${location}`)
}

const slowCaller = async (send: Sender['send'], recorder: Recorder) => {
  const { took } = receivedOf(await send({ method: 'POST', path: '/history', body: dripping() }))
  const slow = send({ method: 'POST', path: '/import/terms', body: dripping(), from: insider })
  const before = recorder.bytesSoFar()
  await new Promise(resolve => setTimeout(resolve, 250))
  const early = recorder.bytesSoFar() - before
  await slow
  return promised(
    'a slow body does not keep the service waiting, but an import is passed on as it comes',
    took < 100 && early > 0 && early < 100,
    `${milliseconds(took)}, ${early} of 100 bytes of an import after half of its time`
  )
}

const hugeImport = async (send: Sender['send'], recorder: Recorder) => {
  const import50 = (from: string) => send({ method: 'POST', path: '/import/contents', body: Array<Buffer>(50).fill(megabyte), from })
  const allowed = await import50(insider)
  const before = recorder.received.length
  const refused = await send({ method: 'POST', path: '/import/contents', body: ['{}'] })
  const disguised = await send({ method: 'POST', path: '/%69mport/contents', body: ['{}'] })
  const bare = await send({ method: 'POST', path: '/import', body: ['{}'] })
  const isClosed = [refused, disguised, bare].every(answer => isError(answer, 404)) && recorder.received.length === before
  return promised(
    'an import may be of any size, but comes from inside only',
    allowed.status === 200 && receivedOf(allowed).bytes === 50 * megabyte.length && isClosed,
    `${allowed.status} for 50 MB, ${refused.status}, ${disguised.status} and ${bare.status} for strangers`
  )
}

const sentAgain = async (send: Sender['send'], recorder: Recorder) => {
  const { status } = await send({ method: 'PUT', path: '/stumble', body: ['{}'] })
  const times = recorder.received.filter(({ path }) => path === '/stumble').length
  return promised(
    'a PUT whose connection broke is sent again',
    status === 200 && times === 2,
    `sent ${times} times, answered with ${status}`
  )
}

/**
 * The proxy may answer with an error or close the caller's connection. HAProxy does the latter if it had sent the request over a reused
 * connection, because HTTP clients know how to handle that.
 */
const neverTwice = async (send: Sender['send'], recorder: Recorder) => {
  const outcome = await send({ method: 'POST', path: '/break/login', body: ['{}'] }).catch(({ message }: Error) => message)
  const times = recorder.received.filter(({ path }) => path === '/break/login').length
  const isFailed = typeof outcome === 'string' || (isError(outcome, outcome.status) && outcome.status >= 502)
  const figures = `sent ${times} times, ${typeof outcome === 'string' ? outcome : `answered with ${outcome.status}`}`
  return promised('a POST that was sent is not sent again', times === 1 && isFailed, figures)
}

const keptConnections = async (send: Sender['send'], recorder: Recorder) => {
  const before = recorder.connections()
  for (let n = 0; n < 100; n++) await send({ path: '/terms' })
  const opened = recorder.connections() - before
  return promised('connections to the service are kept', opened <= 20, `${opened} opened for 100 requests`)
}

/** Tests what happens when one server of three is down, and when all are. */
export const missing = async (program: Program): Promise<Finding[]> => {
  const recorders = [await startRecorder(), await startRecorder()] as const
  const gone = await freePort()
  const proxy = await startProxy(program, [recorders[0].port, gone, recorders[1].port])
  const { send, close } = sender(proxy)
  try {
    const answers = []
    for (let n = 0; n < 60; n++) answers.push(await send({ method: 'POST', path: `/history/${n}`, body: ['{}'] }))
    const received = recorders.flatMap(({ received }) => received.map(({ path }) => path))
    const isOnceEach = received.length === 60 && new Set(received).size === 60
    for (const recorder of recorders) recorder.stop()
    const refused = [await send({ path: '/terms' }), await send({ method: 'POST', path: '/import/terms', body: ['{}'], from: insider })]
    return [
      promised(
        'a request to a process that is down goes to another one, once',
        isOnceEach && answers.every(({ status }) => status === 200),
        `${received.length} received of 60 sent`
      ),
      promised(
        'without any process, callers are told when to come back',
        refused.every(answer => isError(answer, 503) && answer.headers['retry-after'] === '1'),
        refused.map(({ status }) => status).join(', ')
      )
    ]
  } finally {
    close()
    await proxy.stop()
    for (const recorder of recorders) recorder.stop()
  }
}
