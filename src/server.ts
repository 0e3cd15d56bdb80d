// First, because loading the other modules takes most of the start.
import './process/early-stop.js'
import { buildApp } from './app.js'
import { Settings, settingsOrExit } from './config.js'
import { linesOut, loggerOptions } from './http/logging.js'
import { serve } from './process/serve.js'

const settings = settingsOrExit(Settings)
await serve(await buildApp(settings, { logger: { ...loggerOptions(settings.LOG_LEVEL), stream: linesOut() } }))
