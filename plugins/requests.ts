import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import sjson from 'secure-json-parse'
import { malformed, malformedBody } from '../src/errors.js'
import { withoutPorts } from '../src/http/addresses.js'
import { beginAnswer, endRequest, openRequest } from '../src/http/open-requests.js'
import { cacheControl, securityHeaders } from '../src/http/reply.js'
import { histogram } from '../src/metrics/instruments.js'
import { Pacer } from '../src/overload/pacer.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Logs and measures a response. GET /changes/stream calls it when its response begins; all others are logged when they end. */
    logAnswer: (request: FastifyRequest, reply: FastifyReply) => void
  }
}

/**
 * What all requests have in common: headers, the body parser, the log line, and the metric. Bodies are parsed as JSON whatever their
 * Content-Type, which is overwritten for that. Only imports have a parser of their own. A hook that needs the original Content-Type must be
 * registered before this plugin.
 */
export default fp(
  async app => {
    const cleanForwarded = forwardedCleaner(app.settings.TRUST_PROXY !== '')
    app.addHook('onRequest', (request, reply, done) => {
      openRequest(reply)
      reply.headers(securityHeaders)
      // Lets callers refer to the log line.
      reply.header('x-request-id', request.id)
      if (!isHostClear(request.raw)) return done(malformed())
      cleanForwarded(request)
      // Public responses and errors replace this.
      reply.header('cache-control', cacheControl.personal)
      request.headers['content-type'] = 'application/json'
      done()
    })

    // plugins/drain.ts sets `isDraining`.
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (app.isDraining) reply.header('connection', 'close')
      beginAnswer(reply, (payload as string | Buffer | null)?.length)
      // A stream that nobody reads would never end.
      if (reply.raw.destroyed && payload instanceof Readable) payload.destroy()
      done()
    })

    app.removeAllContentTypeParsers()
    const pacer = new Pacer()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
      body.length < largeBody ? parsed(body) : pacer.run(() => parsed(body))
    )

    // Redaction costs time on every line. The only secret in these is a device code in a path, which is valid for ten minutes.
    const answerLog = app.log.child({}, { redact: [] })
    const durations = histogram(
      app.metrics,
      'http_request_duration_seconds',
      'Duration of requests until the end of the response or, for a stream of changes, until its beginning',
      ['method', 'route', 'status']
    )
    const logAndMeasure = (request: FastifyRequest, reply: FastifyReply) => {
      answerLog[levelOf(request, reply)](lineOf(request, reply), 'answered')
      const { method, routeOptions } = request
      durations.observe({ method, route: routeOptions.url ?? 'unknown', status: reply.statusCode }, reply.elapsedTime / 1000)
    }
    const logged = new WeakSet<FastifyRequest>()
    app.decorate('logAnswer', (request: FastifyRequest, reply: FastifyReply) => {
      logged.add(request)
      logAndMeasure(request, reply)
    })
    app.addHook('onResponse', (request, reply, done) => {
      endRequest(reply)
      if (!logged.has(request)) logAndMeasure(request, reply)
      done()
    })
  },
  { name: 'requests', dependencies: ['metrics'], decorators: { fastify: ['settings'] } }
)

/** Whether the request has at most one Host, and exactly one in HTTP/1.1. Node uses the first of several; a proxy may have used another. */
const isHostClear = ({ rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage) => {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts++
  const needsHost = httpVersionMajor === 1 && httpVersionMinor === 1
  return hosts === 1 || (hosts === 0 && !needsHost)
}

const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/** Strips the ports from `X-Forwarded-For`. If no proxy is trusted, warns about the first forwarded header instead. */
const forwardedCleaner = (isProxyTrusted: boolean) => {
  let hasWarned = false
  return ({ headers, log, id }: FastifyRequest) => {
    if (isProxyTrusted) {
      const chain = headers['x-forwarded-for']
      if (typeof chain === 'string') headers['x-forwarded-for'] = withoutPorts(chain)
    } else if (!hasWarned && forwarded.some(name => headers[name] !== undefined)) {
      hasWarned = true
      log.warn({ reqId: id }, 'ignored the forwarded headers of a request: set TRUST_PROXY if the service runs behind a proxy')
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** In bytes. Larger bodies may take milliseconds to parse, for example if they consist of brackets. */
const largeBody = 4096

/** An empty body counts as none. */
const parsed = (body: Buffer) => {
  if (body.length === 0) return undefined
  try {
    return sjson.parse(utf8.decode(body), null, { protoAction: 'remove', constructorAction: 'remove' })
  } catch {
    throw malformedBody()
  }
}

/** The fields of the log line of a response. */
const lineOf = ({ id, method, originalUrl, raw }: FastifyRequest, { statusCode, elapsedTime }: FastifyReply) => ({
  reqId: id,
  method,
  path: originalUrl.split('?', 1)[0],
  status: statusCode,
  ms: Math.round(elapsedTime * 10) / 10,
  // Undefined fields are left out.
  closed: raw.socket.destroyed || undefined
})

/** /health, /ready and /metrics are requested every few seconds, so only their failures are logged at info. */
const levelOf = ({ routeOptions: { config } }: FastifyRequest, { statusCode }: FastifyReply) =>
  config.admission === 'vital' && statusCode < 400 ? 'debug' : 'info'
