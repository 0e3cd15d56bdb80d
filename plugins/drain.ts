import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { requestGrace } from '../src/process/stop-times.js'

declare module 'fastify' {
  interface FastifyInstance {
    isDraining: boolean
    /** Makes /ready fail, and goes on serving for `DRAIN_DELAY` so that load balancers can react. Close the app afterwards. */
    drain: () => Promise<void>
  }
}

/** How long a request that was sent before the server stopped listening may take to arrive. */
const arrivalGrace = 500

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

    // Browsers and load balancers open spare connections. Node would wait for these, although they never sent a byte.
    app.addHook('preClose', async () => {
      app.isDraining = true
      const endQuiet = setTimeout(() => {
        app.server.closeIdleConnections()
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
      }, arrivalGrace).unref()
      const endAll = setTimeout(() => app.server.closeAllConnections(), requestGrace).unref()
      app.server.once('close', () => {
        clearTimeout(endQuiet)
        clearTimeout(endAll)
      })
    })
  },
  { name: 'drain', dependencies: ['settings'] }
)
