import type { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { requestGrace } from '../src/process/serve.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** While true, responses ask callers to close their connections. */
    isDraining: boolean
    /** Makes /ready fail, but keeps serving for `DRAIN_DELAY` so that load balancers can react. Close the app afterwards. */
    drain: () => Promise<void>
    /** Called when the drain begins, with its duration in milliseconds. */
    onDrain: ((milliseconds: number) => void)[]
  }
}

/** How long a request that was sent before the server stopped listening may take to arrive. */
const arrivalGrace = 1000
/** In milliseconds. A turn this short without a new connection means that none is left. */
const shortTurn = 1

export default fp(
  async app => {
    const connections = new Set<Socket>()
    let accepted = 0
    app.server.on('connection', socket => {
      accepted++
      connections.add(socket)
      socket.once('close', () => connections.delete(socket))
    })

    app.decorate('isDraining', false)
    app.decorate('onDrain', [])
    app.decorate('drain', async () => {
      const { DRAIN_DELAY } = app.settings
      app.isDraining = true
      for (const begin of app.onDrain) begin(DRAIN_DELAY)
      await sleep(DRAIN_DELAY)
    })

    // The operating system completes connections before Node accepts them, one per turn of the event loop. Closing now would lose those
    // that Node has not accepted, so the server keeps listening until a short turn brings no new connection.
    const allAccepted = async () => {
      const end = performance.now() + arrivalGrace
      let isQuiet = false
      // The first turn may end without polling for connections. The second always polls.
      await turn()
      while (!isQuiet && performance.now() < end) {
        const before = accepted
        const began = performance.now()
        await turn()
        isQuiet = accepted === before && performance.now() - began < shortTurn
      }
    }

    // Browsers and load balancers open spare connections. Node would wait for these, although they never sent a byte.
    app.addHook('preClose', async () => {
      app.isDraining = true
      await allAccepted()
      const endQuiet = setTimeout(async () => {
        // After a long turn, timers run before what has arrived meanwhile is read.
        await turn()
        await turn()
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
  { name: 'drain', decorators: { fastify: ['settings'] } }
)
