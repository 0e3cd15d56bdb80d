import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { isUnavailable } from '../src/data/driver/faults.js'
import { patienceFromNow, persist } from '../src/data/driver/retry.js'
import { unavailable } from '../src/errors.js'
import { gauge } from '../src/metrics/gauge.js'
import { Turns } from '../src/overload/turns.js'
import { patienceOf, Waiting } from '../src/overload/waiting.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How requests to this route are let in:
     * - `vital`: always, beyond every limit and under any load; needs no database
     * - `static`: like any other, but needs no database and may take as long as the caller reads
     * - `public`: at once, while not too many wait; ends at the deadline
     * - `viewer`: the same, but a signed-in caller waits for one of the connections to the database
     * - `login`: has a queue of its own; ends at the deadline
     */
    admission?: 'vital' | 'static' | 'public' | 'viewer' | 'login'
  }
}

/** Begins a read again that a broken connection to the database cut off. */
const retried = (ask: () => unknown) => {
  const until = patienceFromNow()
  const answer = ask()
  if (!(answer instanceof Promise)) return answer
  return answer.catch(error => {
    if (!isUnavailable(error) || Date.now() > until) throw error
    return persist(async () => ask(), until)
  })
}

/**
 * Decides which requests are served, and when: the only place that makes requests wait. Fastify's own `handlerTimeout` is no
 * help here. It begins before the body has arrived, so that a slow caller would look like a slow database, and it knows no turns.
 */
export default fp(
  async app => {
    const { DATABASE_CONNECTIONS, MAX_WAITING } = app.settings
    const deadline = patienceOf(app.settings)
    const waiting = new Waiting(MAX_WAITING || Number.POSITIVE_INFINITY, deadline)
    const logins = new Waiting(Number.POSITIVE_INFINITY, deadline)
    const turns = new Turns(DATABASE_CONNECTIONS)

    gauge(app.metrics, 'http_requests_waiting', 'Requests that wait, most of them for the database', () => waiting.count)

    const refusal = unavailable()
    app.addHook('onRequest', ({ routeOptions: { config } }, _reply, done) => {
      if (!waiting.isFull || config.admission === 'vital' || config.admission === 'login') return done()
      app.onRefusal('waiting')
      done(refusal)
    })

    /** Asks when there is a connection to the database, unless the deadline has passed by then. */
    const inTurn = (ask: () => unknown, identifiedIn: number) =>
      new Promise((resolve, reject) => {
        let isLate = false
        const end = waiting.begin(() => {
          isLate = true
          reject(unavailable())
        }, identifiedIn)
        turns.begin(async () => {
          try {
            // Awaited even when it is late: a crowd that is late would otherwise hand on its turns on one stack.
            resolve(await (isLate ? undefined : ask()))
          } catch (error) {
            reject(error)
          } finally {
            end()
            turns.end()
          }
        })
      })

    const inTime = (answer: unknown, among: Waiting, identifiedIn: number) =>
      answer instanceof Promise ? among.within(answer, identifiedIn) : answer

    const admitted = (handler: RouteOptions['handler']): RouteOptions['handler'] =>
      function (request: FastifyRequest, reply: FastifyReply) {
        const { admission } = request.routeOptions.config
        const ask = () => handler.call(this, request, reply)
        if (admission === 'vital' || admission === 'static') return ask()
        const begin = request.method === 'GET' || request.method === 'HEAD' ? () => retried(ask) : ask
        if (admission === 'viewer' && request.viewer) return inTurn(begin, request.identifiedIn)
        return inTime(begin(), admission === 'login' ? logins : waiting, request.identifiedIn)
      }

    const routes: RouteOptions[] = []
    app.addHook('onRoute', route => {
      const { handler } = route
      // The name stays: documents and profiles call the operation by it.
      route.handler = Object.defineProperty(admitted(handler), 'name', { value: handler.name })
      routes.push(route)
    })
    app.addHook('onReady', async () => {
      for (const { method, url, config } of routes)
        if (!config?.admission) throw new Error(`${method} ${url} does not say in its config how it is admitted`)
    })
  },
  { name: 'admission', dependencies: ['settings', 'metrics', 'authentication'] }
)
