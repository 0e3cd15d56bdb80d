import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    isDraining: boolean
    /** Says not ready and serves on, so that balancers can look away; then it may be closed. */
    drain: () => Promise<void>
  }
}

/** A caller that does not read its answer must not hold the process. */
const patience = 8000

export default fp(
  async app => {
    app.decorate('isDraining', false)
    app.decorate('drain', async () => {
      app.isDraining = true
      await sleep(app.settings.DRAIN_DELAY)
    })

    app.addHook('onSend', async (_request, reply) => {
      if (app.isDraining) reply.header('connection', 'close')
    })

    app.addHook('preClose', async () => {
      app.isDraining = true
      setTimeout(() => app.server.closeAllConnections(), patience).unref()
    })
  },
  { name: 'drain', dependencies: ['settings'] }
)
