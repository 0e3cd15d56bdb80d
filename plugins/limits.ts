import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { tooManyRequests, unavailable } from '../src/errors.js'
import { minutes } from '../src/time.js'

/** How many callers are counted at once; the one that was away for longest is forgotten first. */
const callers = 50_000

/** What a process refuses so that it can serve the rest: callers beyond their rate, and anyone while the event loop is held. */
export default fp(
  async app => {
    const { RATE_LIMIT, RATE_LIMIT_ADDRESS, MAX_EVENT_LOOP_DELAY } = app.settings
    const limitOf = ({ viewer }: FastifyRequest) => (viewer ? RATE_LIMIT : RATE_LIMIT_ADDRESS)

    await app.register(underPressure, {
      maxEventLoopDelay: MAX_EVENT_LOOP_DELAY,
      pressureHandler: async request => {
        if (!request.routeOptions.config.vital) throw unavailable()
      }
    })

    await app.register(rateLimit, {
      global: false,
      timeWindow: minutes(1),
      cache: callers,
      max: limitOf,
      keyGenerator: ({ viewer, ip }) => (viewer ? `user ${viewer.id}` : ip),
      allowList: request => limitOf(request) === 0 || request.routeOptions.config.vital === true,
      addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false, 'retry-after': false },
      addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
      errorResponseBuilder: (_request, { ttl }) => tooManyRequests(ttl / 1000)
    })
    app.addHook('onRequest', app.rateLimit())
  },
  { name: 'limits', dependencies: ['settings', 'authentication'] }
)
