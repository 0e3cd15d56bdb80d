import underPressure from '@fastify/under-pressure'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { isUnavailable } from '../src/database/faults.js'
import { retryDeadline, withRetries } from '../src/database/retry.js'
import { tooManyRequests, unavailable } from '../src/errors.js'
import { callerOf } from '../src/http/addresses.js'
import { gauge } from '../src/metrics/instruments.js'
import { answerTimeoutOf, timeoutMargin, withDeadline } from '../src/overload/deadlines.js'
import { Pacer } from '../src/overload/pacer.js'
import { rateLimitsOf } from '../src/overload/rate-limit.js'
import { CallerCounts, type CallerKey, Semaphore } from '../src/overload/semaphore.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Queues a read with the requests to `viewer` routes. Rejects with a 503 early enough to respond without the result. */
    readForViewer: <T>(request: Pick<FastifyRequest, 'spentMs' | 'viewer'>, read: () => Promise<T>) => Promise<T>
  }
  interface FastifyContextConfig {
    /**
     * How requests to this route are admitted:
     * - `vital`: always, whatever the limits and the load, even without a database
     * - `static`: like `public`, but needs no database and has no deadline, since the caller may read slowly
     * - `public`: unless too many requests are in progress; has a deadline
     * - `viewer`: like `public`, but signed-in callers queue for the connections to the database
     * - `operator`: like `public`, but has no deadline
     * - `login`: even if too many requests are in progress, because logins have a queue of their own; has a deadline
     */
    admission?: 'vital' | 'static' | 'public' | 'viewer' | 'operator' | 'login'
    /** Whether to repeat the request if its connection to the database breaks. By default, only GET and HEAD are repeated. */
    isRepeatable?: boolean
  }
}

/** The share of the database connections that one account may use at once, so that some are left for others. */
const partOfOneAccount = 1 / 4

/**
 * Decides for each request whether it is served, when, and for how long (docs/decisions/005). A hook rejects callers over the rate limit,
 * and everyone while the event loop is delayed. `admit`, which wraps every handler, bounds the requests in progress, queues those of
 * viewers for the database, and sets deadlines.
 */
export default fp(
  async app => {
    const { DATABASE_CONNECTIONS, MAX_IN_PROGRESS } = app.settings
    const timeout = answerTimeoutOf(app.settings)
    /** As many permits as the pool has connections. */
    const connections = new Semaphore(DATABASE_CONNECTIONS, Math.ceil(DATABASE_CONNECTIONS * partOfOneAccount), timeout / 4)
    /** Requests that wait for a connection, or whose handler runs. */
    const inProgress = new CallerCounts()
    gauge(
      app.metrics,
      'http_requests_in_progress',
      'Requests in progress, most of them waiting for the database. Excludes logins and imports',
      () => inProgress.total
    )

    const isEventLoopDelayed = await eventLoopWatch(app)
    const countForRateLimit = rateLimitsOf(app.settings)
    const notNow = unavailable()
    const refusalOf = ({ viewer, ip, routeOptions }: FastifyRequest) => {
      const { admission } = routeOptions.config
      if (admission === 'vital') return undefined
      if (isEventLoopDelayed()) {
        app.countRefusal('event_loop')
        return notNow
      }
      const wait = countForRateLimit(viewer, ip)
      if (wait > 0) {
        app.countRefusal(viewer ? 'user_limit' : 'address_limit')
        return tooManyRequests(wait / 1000)
      }
      // Until the database is prepared, unique indexes may be missing, and writes could leave duplicates. An unknown path has no admission
      // class, so it returns 404 even then.
      const needsDatabase = admission !== undefined && admission !== 'static'
      return needsDatabase && !app.isPrepared ? notNow : undefined
    }
    // Anonymous requests start in slices of a millisecond, so that a crowd of them does not delay viewers and health checks.
    const crowd = new Pacer()
    app.addHook('onRequest', (request, _reply, done) => {
      const refuseOrGoOn = () => done(refusalOf(request))
      const isUrgent = request.viewer !== null || request.routeOptions.config.admission === 'vital'
      // Beyond `mostInCrowd`, requests start at once, because waiting takes memory.
      const skipsCrowd = isUrgent || crowd.waiting >= mostInCrowd
      if (skipsCrowd) refuseOrGoOn()
      // `done` runs everything up to the first I/O, so a response from memory is sent in this slice.
      else void crowd.run(refuseOrGoOn)
    })

    const limit = MAX_IN_PROGRESS || Number.POSITIVE_INFINITY
    const admit = (request: FastifyRequest, handle: () => unknown) => {
      const { admission } = request.routeOptions.config
      if (admission === 'vital') return handle()
      if (admission !== 'login' && !hasRoom(inProgress, keyOf(request), limit)) {
        app.countRefusal('in_progress')
        throw notNow
      }
      return admission === 'static' || admission === 'operator' ? handle() : handleInTime(request, handle)
    }

    const handleInTime = (request: FastifyRequest, handle: () => unknown) => {
      const { spentMs, routeOptions, viewer } = request
      const { admission } = routeOptions.config
      const left = timeout - spentMs
      // Only reads are retried here, as a whole. Idempotent writes are retried by their queries, others by the driver
      // (src/database/retry.ts).
      const run = isRepeatable(request) ? repeating(handle, left) : handle
      const answer = admission === 'viewer' && viewer ? connections.run(run, viewer.account, left) : run()
      if (!(answer instanceof Promise)) return answer
      if (admission === 'login') return withDeadline(answer, left)
      // A request past its deadline counts until its handler ends.
      const caller = keyOf(request)
      const end = () => inProgress.remove(caller)
      inProgress.add(caller)
      void answer.then(end, end)
      return withDeadline(answer, left)
    }

    const routes: RouteOptions[] = []
    app.addHook('onRoute', route => {
      const { handler } = route
      const admitted: RouteOptions['handler'] = function (request: FastifyRequest, reply: FastifyReply) {
        return admit(request, () => handler.call(this, request, reply))
      }
      // The OpenAPI document and CPU profiles show the name of the handler.
      route.handler = Object.defineProperty(admitted, 'name', { value: handler.name })
      routes.push(route)
    })
    app.addHook('onReady', async () => {
      for (const { method, url, config } of routes)
        if (!config?.admission) throw new Error(`The route ${method} ${url} has no admission class in its config`)
    })

    // Not counted: the caller is a request that already counts, or an open stream.
    app.decorate('readForViewer', <T>({ spentMs, viewer }: Pick<FastifyRequest, 'spentMs' | 'viewer'>, read: () => Promise<T>) => {
      const left = timeout - spentMs - timeoutMargin
      return withDeadline(connections.run(repeating(read, left), viewer?.account, left), left)
    })
  },
  { name: 'admission', dependencies: ['metrics', 'preparation', 'authentication'], decorators: { fastify: ['settings'] } }
)

const keyOf = ({ viewer, ip }: FastifyRequest) => viewer?.account ?? callerOf(ip)

/**
 * Whether another request of the caller may be in progress. Callers below their equal share are admitted up to twice the limit, so that one
 * caller does not shut out the others.
 */
const hasRoom = (inProgress: CallerCounts, caller: CallerKey, limit: number) => {
  if (inProgress.total < limit) return true
  const own = inProgress.of(caller)
  const share = limit / (inProgress.callers + (own === 0 ? 1 : 0))
  return own + 1 <= share && inProgress.total < 2 * limit
}

const isRepeatable = ({ method, routeOptions: { config } }: FastifyRequest) =>
  config.isRepeatable ?? (method === 'GET' || method === 'HEAD')

/**
 * Returns a function that calls `read`, and retries it if the connection to the database breaks. The time for retries starts now, so that
 * time in the queue counts. The first attempt may return from memory, without a promise.
 */
const repeating = (read: () => unknown, milliseconds: number) => {
  const deadline = Date.now() + milliseconds
  return () => {
    const began = Date.now()
    const answer = read()
    if (!(answer instanceof Promise)) return answer
    return answer.catch(error => {
      const until = Math.min(retryDeadline(began), deadline)
      if (!isUnavailable(error) || Date.now() > until) throw error
      return withRetries(async () => read(), until)
    })
  }
}

/** At most this many anonymous requests wait for a slice. */
const mostInCrowd = 1000

/** In milliseconds. Startup blocks the event loop, and the first requests must not be refused for that. */
const warmUp = 2000

const eventLoopWatch = async (app: FastifyInstance) => {
  let isWarm = false
  app.addHook('onReady', async () => {
    void app.whenReady.then(() => setTimeout(() => (isWarm = true), warmUp).unref())
  })
  let scope = app
  // In a scope of its own, because the library's hook would also reject health checks.
  await app.register(async child => {
    await child.register(underPressure, { maxEventLoopDelay: app.settings.MAX_EVENT_LOOP_DELAY })
    scope = child
  })
  return () => isWarm && scope.isUnderPressure()
}
