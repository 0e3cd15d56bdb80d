import page from '../../demo/serve-page.js'
import pictures from '../../demo/serve-pictures.js'
import { buildApp } from '../../src/app.js'
import { Settings, settingsOrExit } from '../../src/config.js'
import { serve } from '../../src/process/serve.js'

/** The service as in production, plus a readable log, the pictures of the demo catalogue and the demo page. */
const settings = settingsOrExit(Settings)
const app = await buildApp(settings, {
  logger: {
    level: settings.LOG_LEVEL,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname,reqId', translateTime: 'HH:MM:ss', singleLine: true } }
  }
})
await app.register(pictures)
await app.register(page)
await serve(app)
