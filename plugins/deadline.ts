import fp from 'fastify-plugin'
import { unavailable } from '../src/errors.js'

/** What a handler may take beyond one operation on the database. */
const margin = 500

/** Answers 503 when a handler has not answered in time, however many operations on a slow database it needs one after the other. */
export default fp(
  async app => {
    const allowed = app.settings.DATABASE_TIMEOUT + margin

    app.addHook('onRoute', route => {
      const { handler } = route
      route.handler = function (request, reply) {
        return new Promise((resolve, reject) => {
          const timer = setTimeout(() => reject(unavailable()), allowed)
          const end = (settle: (value: unknown) => void) => (value: unknown) => {
            clearTimeout(timer)
            settle(value)
          }
          Promise.resolve(handler.call(this, request, reply)).then(end(resolve), end(reject))
        })
      }
    })
  },
  { name: 'deadline', dependencies: ['settings'] }
)
