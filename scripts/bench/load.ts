import autocannon from 'autocannon'

export interface Call {
  method?: 'GET' | 'PUT' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: object
}

const wire = ({ method = 'GET', path, headers, body }: Call) => ({
  method,
  path,
  headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
  ...(body && { body: JSON.stringify(body) })
})

/**
 * Finds the maximum throughput: each connection sends its next request as soon as it has a response. Every response must be a success.
 */
export const closedLoop = async (port: number, calls: Call[], { connections, seconds }: { connections: number; seconds: number }) => {
  const requests = calls.map(wire)
  let connected = 0
  // Each connection builds all of its requests at the start, so it only gets its share of them.
  const setupClient = (client: autocannon.Client) => {
    const n = connected++
    client.setRequests(requests.length < connections ? requests : requests.filter((_, i) => i % connections === n))
  }
  let began = 0
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = { url: `http://127.0.0.1:${port}`, connections, duration: seconds, sampleInt: 100, setupClient }
    autocannon(options, (error, result) => (error ? reject(error) : resolve(result))).once('start', () => {
      began = performance.now()
    })
  })
  const took = (performance.now() - began) / 1000
  if (result.non2xx + result.errors > 0)
    throw new Error(`${calls[0]?.path}: ${result.errors} broken connections and ${JSON.stringify(result.statusCodeStats)}`)
  return { perSecond: result['2xx'] / took, sent: result.requests.sent }
}
