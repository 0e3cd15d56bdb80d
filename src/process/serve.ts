import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { seconds } from '../time.js'

/** A caller that has not read its response this long after the service stopped listening is cut off. */
export const requestGrace = seconds(8)
/** An import over HTTP that is still running this long after the service stopped listening ends after its current batch. */
export const importGrace = requestGrace - seconds(2)
/** How long closing may take before the process exits regardless. Longer than `requestGrace`, because the database is closed last. */
export const closeTimeout = requestGrace + seconds(2)

/** Connections waiting to be accepted. When another process stops, all of its streams of changes reconnect at once. */
const mostUnaccepted = 4096

export const stopSignals = ['SIGTERM', 'SIGINT'] as const

/** Listens until a stop signal, then drains and exits with status 0. */
export const serve = async (app: Pick<FastifyInstance, 'settings' | 'log' | 'drain' | 'close' | 'listen'>) => {
  const { HOST, PORT } = app.settings

  // From here on, closeWithGrace replaces early-stop.
  for (const name of stopSignals) process.removeAllListeners(name)
  closeWithGrace({ delay: false, logger: app.log }, async ({ err, signal }) => {
    // A second signal must not cut off requests in flight.
    for (const name of stopSignals) process.removeAllListeners(name).on(name, () => {})
    if (err) app.log.fatal({ err }, 'stopping after an error')
    else app.log.info(`stopping after ${signal}`)
    await app.drain()
    // An unresponsive database would delay closing, although all requests have ended by then.
    const isClosed = await Promise.race([app.close().then(() => true), sleep(closeTimeout, false)])
    if (!isClosed) app.log.warn(`closing took longer than ${closeTimeout / 1000} s`)
  })

  try {
    await app.listen({ host: HOST, port: PORT, backlog: mostUnaccepted })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    app.log.fatal(code === 'EADDRINUSE' ? `Port ${PORT} is in use: stop the process that listens there, or set PORT` : message)
    process.exit(1)
  }
}
