// Comes first, because loading the other modules takes most of the startup time.
import '../src/process/early-stop.js'
import pictures from '../demo/serve-pictures.js'
import { buildApp } from '../src/app.js'
import { Settings, settingsOrExit } from '../src/config.js'
import { linesOut, loggerOptions } from '../src/http/logging.js'
import { serve } from '../src/process/serve.js'

/** The service as in production, plus the pictures of the demo catalogue. */
const settings = settingsOrExit(Settings)
const app = await buildApp(settings, { logger: { ...loggerOptions(settings.LOG_LEVEL), stream: linesOut() } })
await app.register(pictures)
await serve(app)
