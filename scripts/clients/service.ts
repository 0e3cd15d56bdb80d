import type { FastifyRequest } from 'fastify'
import { buildApp } from '../../src/app.js'
import { readSettings, Settings } from '../../src/config.js'
import { trainInChildProcess } from '../../src/recommendations/learning/start-training.js'
import { fillWithDemo } from '../dev/seed.js'
import { freePort } from '../free-port.js'
import { startMongod } from '../mongod/start.js'

const callOf = ({ method, routeOptions: { url }, headers }: FastifyRequest, status: number) =>
  `${method} ${url} ${status} ${headers.authorization ? 'with' : 'without'} a token`

const settingsFor = (database: string, url: string) =>
  readSettings(Settings, {
    MONGO_URL: database,
    JWT_SECRET: 'a secret of the journeys that is long enough',
    PUBLIC_URL: url,
    // All journeys have the same address.
    RATE_LIMIT: '0',
    RATE_LIMIT_ADDRESS: '0',
    LOGIN_LIMIT: '0',
    DRAIN_DELAY: '0',
    TRAIN: 'off'
  })

/** The service as production builds it, with the demo catalogue and a trained model. Records the calls that it serves. */
export const startService = async (say: (line: string) => void) => {
  const mongod = await startMongod({ say })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = settingsFor(`${mongod.url}/clients`, url)
  await fillWithDemo(settings.MONGO_URL, url, say)
  await trainInChildProcess({
    url: settings.MONGO_URL,
    interest: { completedAt: settings.COMPLETED_AT, interestFrom: settings.INTEREST_FROM },
    memoryMb: settings.TRAIN_MEMORY_MB,
    signal: new AbortController().signal
  })

  const app = await buildApp(settings, { logger: false })
  const calls = new Set<string>()
  app.addHook('onResponse', async (request, { statusCode }) => {
    calls.add(callOf(request, statusCode))
  })
  await app.listen({ host: '127.0.0.1', port })
  await app.whenPrepared

  return {
    url,
    calls,
    stop: async () => {
      await app.close()
      await mongod.stop()
    }
  }
}
export type Service = Awaited<ReturnType<typeof startService>>
