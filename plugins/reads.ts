import fp from 'fastify-plugin'
import { isUnavailable } from '../src/data/faults.js'
import { patienceFromNow, persist } from '../src/data/retry.js'
import { aroundHandler } from '../src/handlers.js'

/** Begins a read anew that a broken connection to the database cut off. Within its deadline, which the plugin after this one sets. */
export default fp(
  async app => {
    app.addHook('onRoute', route => {
      if (route.method !== 'GET' || route.config?.vital) return
      aroundHandler(route, ask => {
        const until = patienceFromNow()
        const answer = ask()
        if (!(answer instanceof Promise)) return answer
        return answer.catch(error => {
          if (!isUnavailable(error) || Date.now() > until) throw error
          return persist(async () => ask(), until)
        })
      })
    })
  },
  { name: 'reads' }
)
