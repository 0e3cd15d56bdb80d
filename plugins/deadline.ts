import fp from 'fastify-plugin'
import { unavailable } from '../src/errors.js'
import { aroundHandler } from '../src/handlers.js'
import { gauge } from '../src/metrics/gauge.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Waits in a queue of its own, which has a bound. */
    queued?: boolean
  }
}

/** What a handler may take beyond one operation on the database. */
const margin = 500

/** Handlers that wait: each has its deadline, and beyond a number of them nobody else begins to wait. */
class Waiting {
  count = 0

  constructor(
    private readonly most: number,
    private readonly allowed: number
  ) {}

  get isFull() {
    return this.count >= this.most
  }

  within(answer: Promise<unknown>) {
    this.count++
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(unavailable()), this.allowed)
      const end = (settle: (value: unknown) => void) => (value: unknown) => {
        this.count--
        clearTimeout(timer)
        settle(value)
      }
      answer.then(end(resolve), end(reject))
    })
  }
}

/**
 * Answers 503 when a handler has not answered in time, however many operations on a slow database it needs one after the
 * other, and at once where so many wait already that one more would only wait for them.
 */
export default fp(
  async app => {
    const { DATABASE_TIMEOUT, MAX_WAITING } = app.settings
    const allowed = DATABASE_TIMEOUT + margin
    const bounded = new Waiting(MAX_WAITING || Number.POSITIVE_INFINITY, allowed)
    const unbounded = new Waiting(Number.POSITIVE_INFINITY, allowed)

    gauge(app.metrics, 'http_requests_waiting', 'Requests that wait, most of them for the database', () => bounded.count)

    // Before anything else is done for it: past the limit most requests are refused, and what that costs the others lack.
    const refusal = unavailable()
    app.addHook('onRequest', ({ routeOptions: { config } }, _reply, done) => {
      if (!bounded.isFull || config.vital || config.queued) return done()
      app.onRefusal('waiting')
      done(refusal)
    })

    app.addHook('onRoute', route => {
      const { config } = route
      const waiting = config?.vital || config?.queued ? unbounded : bounded
      aroundHandler(route, ask => {
        const answer = ask()
        // Without the database there is nothing to wait for but the caller, who may read a file slowly, or never to its end.
        return answer instanceof Promise && !route.config?.standalone ? waiting.within(answer) : answer
      })
    })
  },
  { name: 'deadline', dependencies: ['settings', 'metrics', 'reads'] }
)
