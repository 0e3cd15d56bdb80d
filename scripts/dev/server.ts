import { buildApp } from '../../src/app.js'
import { Settings, settingsOrExit } from '../../src/config.js'
import { serve } from '../../src/serve.js'
import thumbnails from './thumbnails.js'

/** The service as production runs it, with a log for people and the pictures of the demo catalogue. */
const settings = settingsOrExit(Settings)
const app = await buildApp(settings, {
  logger: {
    level: settings.LOG_LEVEL,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname,reqId', translateTime: 'HH:MM:ss', singleLine: true } }
  }
})
await app.register(thumbnails)
await serve(app)
