import { gunzipSync } from 'node:zlib'
import { tokenOf } from '../../bench/servers/tokens.js'
import { type Finding, promised } from '../../soak/promises.js'
import { insider, type Program, type RunningProxy } from './program.js'
import { isError, type Sender, sender, slowly } from './send.js'
import { unreadable } from './unreadable.js'

const limit = 64 * 1024
export const importKey = 'a key of the proxy check that is long enough'
const list = '/contents?perPage=50'
/** Ways to ask for the metrics. Some of them are unknown paths, to the proxy or to the service. */
const metricsPaths = ['/metrics', '/metrics?a=b', '/%6detrics', '/metric%73?a', '//metrics', '/metrics/', '/./metrics', '/terms/../metrics']

/** Tests what callers of the service get through the proxy. */
export const serving = async (program: Program, proxy: RunningProxy): Promise<Finding[]> => {
  const { send, close } = sender(proxy)
  try {
    return [
      await compressed(send),
      await bounded(send),
      await unreadable(program, proxy),
      await closedMetrics(send),
      await traceable(send, proxy),
      await imported(send)
    ]
  } finally {
    close()
  }
}

const compressed = async (send: Sender['send']) => {
  const plain = await send({ path: list })
  const zipped = await send({ path: list, headers: { 'accept-encoding': 'gzip' } })
  const { etag = '', vary = '', 'content-encoding': encoding } = zipped.headers
  const again = await send({ path: list, headers: { 'accept-encoding': 'gzip', 'if-none-match': etag } })
  const isSame = encoding === 'gzip' && gunzipSync(zipped.body).equals(plain.body)
  const isWeak = etag === `W/${plain.headers.etag}` && /accept-encoding/i.test(vary)
  const isKnown = again.status === 304 && again.body.length === 0
  return promised(
    'public answers are compressed, with a weak ETag that gets a 304',
    isSame && isWeak && isKnown,
    `${plain.body.length} bytes as ${zipped.body.length}, ${etag}, then ${again.status}`
  )
}

/** A report of this many bytes. */
const report = (bytes: number) => JSON.stringify({ content_id: 1, time: 1, filler: '' }).replace('""', `"${'x'.repeat(bytes - 37)}"`)

const bounded = async (send: Sender['send']) => {
  const headers = { authorization: `Bearer ${tokenOf(1)}`, 'content-type': 'application/json' }
  const post = (body: string, more = {}) => send({ method: 'POST', path: '/history', headers: { ...headers, ...more }, body: [body] })
  const largest = await post(report(limit), { 'content-length': limit })
  const announced = await post(report(limit + 1), { 'content-length': limit + 1 })
  const inChunks = await post(report(limit + 1))
  const isBounded = largest.status === 201 && isError(announced, 413) && isError(inChunks, 413)
  return promised('a body may have 64 KiB', isBounded, `${largest.status}, with one byte more ${announced.status} and ${inChunks.status}`)
}

/** Sends an import that is larger and slower than any other request may be. */
const imported = async (send: Sender['send']) => {
  const lines = Array.from(
    { length: 2000 },
    (_, n) => `${JSON.stringify({ id: 100_000 + n, vendor_id: `imported-${n}`, name: `Term ${n}`, taxonomy: 'imported' })}\n`
  )
  const halves = [lines.slice(0, 1000).join(''), lines.slice(1000).join('')]
  const headers = { authorization: `Bearer ${importKey}` }
  const answer = await send({ method: 'POST', path: '/import/terms', headers, body: slowly(halves, 6000), from: insider })
  const { data } = JSON.parse(answer.body.toString())
  return promised('an import takes its time', answer.status === 200 && data.added === 2000, `${answer.status} ${JSON.stringify(data)}`)
}

const closedMetrics = async (send: Sender['send']) => {
  const answers = await Promise.all(metricsPaths.map(path => send({ path })))
  const isClosed = answers.every(answer => isError(answer, 404))
  return promised('/metrics is private', isClosed, answers.map(({ status }, n) => `${metricsPaths[n]} ${status}`).join(', '))
}

const traceable = async (send: Sender['send'], proxy: RunningProxy) => {
  const { headers } = await send({ path: '/terms?secret=1' })
  const id = String(headers['x-request-id'])
  const line = await logLineOf(proxy, id)
  const isUseful = /^[0-9a-f]{32}$/.test(id) && line !== undefined && JSON.parse(line).path === '/terms' && !line.includes('secret')
  return promised('the log of the proxy names the id of a request, and no query', isUseful, String(line))
}

const logLineOf = async (proxy: RunningProxy, id: string) => {
  for (let tries = 0; tries < 50; tries++) {
    const line = (await proxy.log()).split('\n').find(line => line.includes(id))
    if (line) return line
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return undefined
}
