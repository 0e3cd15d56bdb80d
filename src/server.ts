import closeWithGrace from 'close-with-grace'
import { buildApp } from './app.js'
import { readSettings, Settings, SettingsError } from './config.js'
import { loggerOptions } from './logging.js'

const settings = (() => {
  try {
    return readSettings(Settings)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    process.stderr.write(`The service cannot start.\n${error.message}\n`)
    process.exit(1)
  }
})()

const app = await buildApp(settings, { logger: loggerOptions(settings.LOG_LEVEL) })

closeWithGrace({ delay: settings.DRAIN_DELAY + 10_000, logger: app.log }, async ({ err, signal }) => {
  // A second signal must not cut off what the first one lets end.
  for (const name of ['SIGTERM', 'SIGINT']) process.removeAllListeners(name).on(name, () => {})
  if (err) app.log.fatal({ err }, 'stopping after an error')
  else app.log.info(`stopping after ${signal}`)
  await app.drain()
  await app.close()
})

try {
  await app.listen({ host: settings.HOST, port: settings.PORT })
} catch (error) {
  app.log.fatal((error as Error).message)
  process.exit(1)
}
