import closeWithGrace from 'close-with-grace'
import type { buildApp } from '../app.js'
import { closeTimeout, stopSignals } from './stop.js'

/** Listens until a stop signal, then drains and exits with status 0. */
export const serve = async (app: Awaited<ReturnType<typeof buildApp>>) => {
  const { HOST, PORT, DRAIN_DELAY } = app.settings

  // From here on, closeWithGrace replaces early-stop.
  for (const name of stopSignals) process.removeAllListeners(name)
  closeWithGrace({ delay: DRAIN_DELAY + closeTimeout, logger: app.log }, async ({ err, signal }) => {
    // A second signal must not cut off requests in flight.
    for (const name of stopSignals) process.removeAllListeners(name).on(name, () => {})
    if (err) app.log.fatal({ err }, 'stopping after an error')
    else app.log.info(`stopping after ${signal}`)
    await app.drain()
    await app.close()
  })

  try {
    await app.listen({ host: HOST, port: PORT })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    app.log.fatal(code === 'EADDRINUSE' ? `Port ${PORT} is in use: stop the process that listens there, or set PORT` : message)
    process.exit(1)
  }
}
