import fp from 'fastify-plugin'
import { isUnavailable } from '../src/data/faults.js'
import { patienceFromNow, persist } from '../src/data/retry.js'

/** Begins a read anew that a broken connection to the database cut off. Within its deadline, which the plugin after this one sets. */
export default fp(
  async app => {
    app.addHook('onRoute', route => {
      const { handler, method, config } = route
      if (method !== 'GET' || config?.vital) return
      route.handler = function (request, reply) {
        const until = patienceFromNow()
        const answer: unknown = handler.call(this, request, reply)
        if (!(answer instanceof Promise)) return answer
        return answer.catch(error => {
          if (!isUnavailable(error) || Date.now() > until) throw error
          return persist(async () => handler.call(this, request, reply), until)
        })
      }
    })
  },
  { name: 'reads' }
)
