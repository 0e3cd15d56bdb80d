import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { unavailable } from '../src/errors.js'
import { aroundHandler } from '../src/handlers.js'
import { gauge } from '../src/metrics/gauge.js'
import { Turns } from '../src/turns.js'
import { patienceOf, Waiting } from '../src/waiting.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Waits in a queue of its own, which has a bound. */
    queued?: boolean
  }
}

/**
 * Answers 503 when a handler has not answered in time, however many operations on a slow database it needs one after the
 * other, and at once where so many wait already that one more would only wait for them. What viewers ask for is in the
 * database: no more of it is begun at once than there are connections. A request that waits for its turn holds little
 * memory, one that waits in the driver a lot, and one whose time is over by then is never begun.
 */
export default fp(
  async app => {
    const { DATABASE_CONNECTIONS, MAX_WAITING } = app.settings
    const allowed = patienceOf(app.settings)
    const bounded = new Waiting(MAX_WAITING || Number.POSITIVE_INFINITY, allowed)
    const unbounded = new Waiting(Number.POSITIVE_INFINITY, allowed)
    const turns = new Turns(DATABASE_CONNECTIONS, Number.POSITIVE_INFINITY)

    gauge(app.metrics, 'http_requests_waiting', 'Requests that wait, most of them for the database', () => bounded.count)

    // Before anything else is done for it: past the limit most requests are refused, and what that costs the others lack.
    const refusal = unavailable()
    app.addHook('onRequest', ({ routeOptions: { config } }, _reply, done) => {
      if (!bounded.isFull || config.vital || config.queued) return done()
      app.onRefusal('waiting')
      done(refusal)
    })

    /**
     * No promise is made before the turn has come. One that waited for long would be old for the collector of garbage and
     * hold its answer, so that all answers of a busy service lay about until all of the memory is looked through.
     */
    const answerInTurn = (ask: () => unknown, reply: FastifyReply) => {
      let isLate = false
      const send = (answer: unknown) => {
        if (!isLate) reply.send(answer)
      }
      const end = bounded.begin(() => {
        send(unavailable())
        isLate = true
      }, reply.request.identifiedIn)
      turns.begin(async () => {
        try {
          // Waited for even where nothing is asked: a crowd that is late would else hand on its turns on one stack.
          send(await (isLate ? undefined : ask()))
        } catch (error) {
          send(error)
        } finally {
          end()
          turns.end()
        }
      })
    }

    app.addHook('onRoute', route => {
      const { config } = route
      if ([route.onRequest].flat().includes(app.tokenRequired)) return aroundHandler(route, answerInTurn)
      const waiting = config?.vital || config?.queued ? unbounded : bounded
      aroundHandler(route, (ask, reply) => {
        const answer = ask()
        // Without the database there is nothing to wait for but the caller, who may read a file slowly, or never to its end.
        return answer instanceof Promise && !route.config?.standalone ? waiting.within(answer, reply.request.identifiedIn) : answer
      })
    })
  },
  { name: 'deadline', dependencies: ['settings', 'metrics', 'reads'] }
)
