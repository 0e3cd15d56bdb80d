import { buildApp } from '../../src/app.js'
import { readSettings, Settings } from '../../src/config.js'
import page from '../dev/page.js'
import { fillWithDemo } from '../dev/seed.js'
import thumbnails from '../dev/thumbnails.js'
import { freePort } from '../free-port.js'

/** The service with the demo catalogue and the demo page, as `npm run dev` serves it, at a port of this machine. */
export const serveDemo = async (MONGO_URL: string, given: Record<string, string> = {}) => {
  const port = await freePort()
  const address = `http://localhost:${port}`
  await fillWithDemo(MONGO_URL, address, () => undefined)
  const settings = { MONGO_URL, JWT_SECRET: 'only for a demo page that nobody else can reach', DEVICE_URL: `${address}/#device`, ...given }
  const app = await buildApp(readSettings(Settings, settings), { logger: false })
  await app.register(thumbnails)
  await app.register(page)
  await app.listen({ host: 'localhost', port })
  await app.whenPrepared
  return { app, address }
}
