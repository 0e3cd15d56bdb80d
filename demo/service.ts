import type { FastifyRequest } from 'fastify'
import { freePort } from '../scripts/processes.js'
import { buildApp } from '../src/app.js'
import { readSettings, Settings } from '../src/config.js'
import { connectionTo } from '../src/database/connection.js'
import { dataOf } from '../src/database/data.js'
import { trainModel } from '../src/recommendations/learning/training.js'
import { fillWithDemo } from './fill.js'
import page from './serve-page.js'
import pictures from './serve-pictures.js'

/**
 * Serves the demo catalogue and the demo page on a port of this machine, like `npm run dev`, with a trained model. `onServed` is called
 * after each response.
 */
export const serveDemo = async (
  MONGO_URL: string,
  given: Record<string, string> = {},
  onServed: (request: FastifyRequest, status: number) => void = () => undefined
) => {
  const port = await freePort()
  const address = `http://localhost:${port}`
  const settings = readSettings(Settings, {
    MONGO_URL,
    JWT_SECRET: 'only for a demo page that nobody else can reach',
    DEVICE_URL: `${address}/#device`,
    MAX_STREAMS: '2',
    TRAIN: 'off',
    MAX_EVENT_LOOP_DELAY: '0',
    ...given
  })
  await fillWithDemo(MONGO_URL, address, () => undefined)
  const { client, db } = connectionTo(MONGO_URL)
  await trainModel(dataOf(db, settings), { completedAt: settings.COMPLETED_AT, interestFrom: settings.INTEREST_FROM })
  await client.close()

  const app = await buildApp(settings, { logger: false })
  app.addHook('onResponse', async (request, { statusCode }) => onServed(request, statusCode))
  await app.register(pictures)
  await app.register(page)
  await app.listen({ host: 'localhost', port })
  await app.whenReady
  return { app, address }
}
