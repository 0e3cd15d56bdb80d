import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import type { MongoClient } from 'mongodb'
import { connectionTo } from '../src/data/driver/connection.js'
import { watched } from '../src/data/driver/watched.js'
import { type Data, dataOf, ensureIndexes } from '../src/data/index.js'
import { databaseMetrics } from '../src/metrics/database.js'
import { sharedQuestion } from '../src/overload/shared-question.js'

declare module 'fastify' {
  interface FastifyInstance {
    data: Data
    /** The same on connections that requests do not use, so that no crowd of them delays what keeps the service up. */
    backgroundData: Data
    mongoClient: MongoClient
    /** What has to be done with the database before the first request is served from it. */
    preparations: (() => Promise<void>)[]
    /** Ends when the preparations are done. */
    started: Promise<void>
    isPrepared: () => boolean
    /** Asks the database whether it is there. */
    reachDatabase: () => Promise<boolean>
  }
}

/** One for what follows the catalogue, and one for /ready. */
const backgroundConnections = 2
const retryEvery = 1000
const warnEvery = 15

/** Connects and prepares in the background: a service without its database starts, says so and goes on trying. */
export default fp(
  async app => {
    const { settings } = app
    const timeouts = {
      timeoutMS: settings.DATABASE_TIMEOUT,
      serverSelectionTimeoutMS: settings.DATABASE_TIMEOUT,
      // A handshake with a server that fell silent holds up those after it.
      connectTimeoutMS: settings.DATABASE_TIMEOUT
    }
    const { client, db } = connectionTo(settings.MONGO_URL, { ...timeouts, maxPoolSize: settings.DATABASE_CONNECTIONS })
    const background = connectionTo(settings.MONGO_URL, { ...timeouts, maxPoolSize: backgroundConnections })
    const closing = new AbortController()
    const preparations = [async () => void (await Promise.all([client.connect(), background.client.connect()])), () => ensureIndexes(db)]
    let ready = false

    const prepare = async () => {
      for (let attempt = 0; !closing.signal.aborted; attempt++) {
        try {
          for (const step of preparations) await step()
          ready = true
          app.log.info(`serving from the database ${db.databaseName}`)
          return
        } catch (error) {
          if (closing.signal.aborted) return
          if (attempt % warnEvery === 0) app.log.warn(`MongoDB cannot be used yet, trying again every second: ${(error as Error).message}`)
          await sleep(retryEvery, undefined, { signal: closing.signal }).catch(() => undefined)
        }
      }
    }

    let start: (preparing: Promise<void>) => void
    app.decorate(
      'started',
      new Promise<void>(resolve => {
        start = resolve
      })
    )
    app.addHook('onReady', async () => start(prepare()))

    const operationsOf = databaseMetrics(app.metrics, client)
    app.decorate('data', dataOf(watched(db, operationsOf), settings))
    app.decorate('backgroundData', dataOf(watched(background.db, operationsOf), settings))
    app.decorate('mongoClient', client)
    app.decorate('preparations', preparations)
    const ping = sharedQuestion(() =>
      background.db.command({ ping: 1 }).then(
        () => true,
        () => false
      )
    )
    app.decorate('isPrepared', () => ready)
    app.decorate('reachDatabase', async () => ready && (await ping()))

    app.addHook('onClose', async () => {
      closing.abort()
      await Promise.all([client.close(), background.client.close()])
    })
  },
  { name: 'mongo', dependencies: ['settings', 'metrics'] }
)
