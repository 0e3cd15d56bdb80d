import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { isUnavailable } from '../src/data/driver/faults.js'
import { retryDeadline, withRetries } from '../src/data/driver/retry.js'
import { unavailable } from '../src/errors.js'
import { callerOf } from '../src/http/addresses.js'
import { admissionMetrics } from '../src/metrics/admission.js'
import { withDeadline } from '../src/overload/deadline.js'
import { DeadlineQueue } from '../src/overload/deadline-queue.js'
import { InFlight } from '../src/overload/in-flight.js'
import { requestTimeoutOf, timeoutMargin } from '../src/overload/request-timeout.js'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Runs a database read for a signed-in caller in the queue of the `viewer` routes. It is for routes that can also answer without
     * the result: it gives up with a 503 early enough for them to do so.
     */
    readForViewer: <T>(request: FastifyRequest, read: () => Promise<T>) => Promise<T>
  }
  interface FastifyContextConfig {
    /**
     * How requests to this route are admitted:
     * - `vital`: always, beyond every limit and under any load; needs no database
     * - `static`: like `public`, but needs no database and has no deadline, since the caller may read slowly
     * - `public`: at once, unless too many requests are in progress; has a deadline
     * - `viewer`: like `public`, but a signed-in caller queues for a connection to the database
     * - `operator`: like `public`, but has no deadline
     * - `login`: even if too many requests are in progress, because logins have a queue of their own; has a deadline
     */
    admission?: 'vital' | 'static' | 'public' | 'viewer' | 'operator' | 'login'
    /** Whether the request begins anew after a broken connection to the database. By default, only a GET or HEAD does. */
    isRepeatable?: boolean
  }
}

/** The part of the connections to the database that one account may use at once, so that some are left for the next caller. */
const shareOfAccount = 1 / 4

const keyOf = ({ viewer, ip }: FastifyRequest) => viewer?.account ?? callerOf(ip)

const isRepeatable = ({ method, routeOptions: { config } }: FastifyRequest) =>
  config.isRepeatable ?? (method === 'GET' || method === 'HEAD')

/** Repeats what failed because a connection to the database broke. */
const retried = (read: () => unknown) => {
  const until = retryDeadline()
  const answer = read()
  if (!(answer instanceof Promise)) return answer
  return answer.catch(error => {
    if (!isUnavailable(error) || Date.now() > until) throw error
    return withRetries(async () => read(), until)
  })
}

/**
 * Decides how many requests are served at once, and for how long. Some kinds of work then wait in queues of their own, which
 * docs/decisions/005 lists. Fastify's own `handlerTimeout` would not do: it has no queue, and it starts before the body has
 * arrived, so a slow caller would look like a slow database.
 */
export default fp(
  async app => {
    const { DATABASE_CONNECTIONS, MAX_WAITING } = app.settings
    const timeout = requestTimeoutOf(app.settings)
    const inProgress = new InFlight(MAX_WAITING || Number.POSITIVE_INFINITY, timeout)
    const viewers = new DeadlineQueue(DATABASE_CONNECTIONS, Math.ceil(DATABASE_CONNECTIONS * shareOfAccount), inProgress)

    admissionMetrics(app.metrics, inProgress)

    const overloaded = unavailable()
    app.addHook('onRequest', (request, _reply, done) => {
      const { admission } = request.routeOptions.config
      if (!inProgress.isFull || admission === 'vital' || admission === 'login' || inProgress.hasShareFor(keyOf(request))) return done()
      app.countRefusal('waiting')
      done(overloaded)
    })

    const admit = (request: FastifyRequest, handle: () => unknown) => {
      const { tokenCheckMs, routeOptions, viewer } = request
      const { admission } = routeOptions.config
      if (admission === 'vital' || admission === 'static' || admission === 'operator') return handle()
      const begin = isRepeatable(request) ? () => retried(handle) : handle
      if (admission === 'viewer' && viewer) return viewers.run(begin, tokenCheckMs, viewer.account)
      const answer = begin()
      if (!(answer instanceof Promise)) return answer
      return admission === 'login' ? withDeadline(answer, timeout - tokenCheckMs) : inProgress.within(answer, tokenCheckMs, keyOf(request))
    }

    app.decorate('readForViewer', <T>({ tokenCheckMs, viewer }: FastifyRequest, read: () => Promise<T>) =>
      viewers.run(() => retried(read), tokenCheckMs + timeoutMargin, viewer?.account)
    )

    const routes: RouteOptions[] = []
    app.addHook('onRoute', route => {
      const { handler } = route
      const admitted: RouteOptions['handler'] = function (request: FastifyRequest, reply: FastifyReply) {
        return admit(request, () => handler.call(this, request, reply))
      }
      // The OpenAPI document and profiles show the name of the handler.
      route.handler = Object.defineProperty(admitted, 'name', { value: handler.name })
      routes.push(route)
    })
    app.addHook('onReady', async () => {
      for (const { method, url, config } of routes)
        if (!config?.admission) throw new Error(`The route ${method} ${url} has no admission class in its config`)
    })
  },
  { name: 'admission', dependencies: ['settings', 'metrics', 'authentication'] }
)
