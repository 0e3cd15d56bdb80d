import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    isDraining: boolean
    /** Says not ready and serves on, so that balancers can look away; then it may be closed. */
    drain: () => Promise<void>
  }
}

/** So long may what was sent before the end of listening take to become a request. */
const grace = 500
/** A caller that does not read its answer must not hold the process. */
const patience = 8000

export default fp(
  async app => {
    const connections = new Set<Socket>()
    app.server.on('connection', socket => {
      connections.add(socket)
      socket.once('close', () => connections.delete(socket))
    })

    app.decorate('isDraining', false)
    app.decorate('drain', async () => {
      app.isDraining = true
      await sleep(app.settings.DRAIN_DELAY)
    })

    app.addHook('onSend', (_request, reply, _payload, done) => {
      if (app.isDraining) reply.header('connection', 'close')
      done()
    })

    // Node waits for connections that never sent a byte, as browsers and balancers keep some.
    app.addHook('preClose', async () => {
      app.isDraining = true
      const endQuiet = setTimeout(() => {
        app.server.closeIdleConnections()
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
      }, grace).unref()
      const endAll = setTimeout(() => app.server.closeAllConnections(), patience).unref()
      app.server.once('close', () => {
        clearTimeout(endQuiet)
        clearTimeout(endAll)
      })
    })
  },
  { name: 'drain', dependencies: ['settings'] }
)
