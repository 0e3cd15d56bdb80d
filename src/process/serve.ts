import closeWithGrace from 'close-with-grace'
import type { buildApp } from '../app.js'
import { stopSignals } from './stop-signals.js'

/** What is under way when the listening ends has so long to end. */
const patience = 10_000

/** Listens until a signal to stop, then drains and leaves with status 0. */
export const serve = async (app: Awaited<ReturnType<typeof buildApp>>) => {
  const { HOST, PORT, DRAIN_DELAY } = app.settings

  for (const name of stopSignals) process.removeAllListeners(name)
  closeWithGrace({ delay: DRAIN_DELAY + patience, logger: app.log }, async ({ err, signal }) => {
    // A second signal must not cut off what the first one lets end.
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
    app.log.fatal(code === 'EADDRINUSE' ? `Port ${PORT} is taken: stop what listens there, or set PORT` : message)
    process.exit(1)
  }
}
