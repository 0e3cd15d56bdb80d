// Must run first, so that a stop signal ends the process even while the other modules load.
import './process/early-stop.js'
import { buildApp } from './app.js'
import { Settings, settingsOrExit } from './config.js'
import { linesOut, loggerOptions } from './http/logging.js'
import { serve } from './process/serve.js'

const settings = settingsOrExit(Settings)
await serve(await buildApp(settings, { logger: { ...loggerOptions(settings.LOG_LEVEL), stream: linesOut() } }))
