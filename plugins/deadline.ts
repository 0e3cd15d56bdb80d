import fp from 'fastify-plugin'
import { unavailable } from '../src/errors.js'

/** What a handler may take beyond one operation on the database. */
const margin = 500

const within = (milliseconds: number, answer: Promise<unknown>) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable()), milliseconds)
    const end = (settle: (value: unknown) => void) => (value: unknown) => {
      clearTimeout(timer)
      settle(value)
    }
    answer.then(end(resolve), end(reject))
  })

/** Answers 503 when a handler has not answered in time, however many operations on a slow database it needs one after the other. */
export default fp(
  async app => {
    const allowed = app.settings.DATABASE_TIMEOUT + margin

    app.addHook('onRoute', route => {
      const { handler } = route
      route.handler = function (request, reply) {
        const answer: unknown = handler.call(this, request, reply)
        return answer instanceof Promise ? within(allowed, answer) : answer
      }
    })
  },
  { name: 'deadline', dependencies: ['settings'] }
)
