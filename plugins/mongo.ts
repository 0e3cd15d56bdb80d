import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { connectionTo } from '../src/data/connection.js'
import { type Data, dataOf, ensureIndexes } from '../src/data/index.js'
import { unavailable } from '../src/errors.js'

declare module 'fastify' {
  interface FastifyInstance {
    data: Data
    /** Ends when the service can answer from the database for the first time. */
    started: Promise<void>
    /** Asks the database whether it is there. */
    reachDatabase: () => Promise<boolean>
  }
  interface FastifyContextConfig {
    /** Answers while the database is away, beyond every limit and under any load. */
    vital?: boolean
  }
}

const retryEvery = 1000
const repeatWarningEvery = 15

/** Connects and makes the indexes in the background: a service without its database starts, says so and goes on trying. */
export default fp(
  async app => {
    const { settings } = app
    const { client, db } = connectionTo(settings.MONGO_URL, {
      timeoutMS: settings.DATABASE_TIMEOUT,
      serverSelectionTimeoutMS: settings.DATABASE_TIMEOUT,
      maxPoolSize: 50
    })
    const closing = new AbortController()
    let ready = false

    const start = async () => {
      for (let attempt = 0; !closing.signal.aborted; attempt++) {
        try {
          await client.connect()
          await ensureIndexes(db)
          ready = true
          app.log.info(`connected to the database ${db.databaseName}`)
          return
        } catch (error) {
          if (closing.signal.aborted) return
          const { message } = error as Error
          if (attempt % repeatWarningEvery === 0) app.log.warn(`MongoDB cannot be used yet, trying again every second: ${message}`)
          await sleep(retryEvery, undefined, { signal: closing.signal }).catch(() => undefined)
        }
      }
    }

    app.decorate('data', dataOf(db, settings))
    app.decorate('started', start())
    app.decorate('reachDatabase', async () => {
      if (!ready) return false
      return db.command({ ping: 1 }).then(
        () => true,
        () => false
      )
    })

    // Before its indexes stand, a write could make the second of what must be one.
    app.addHook('onRequest', async request => {
      if (!ready && !request.routeOptions.config.vital) throw unavailable()
    })

    app.addHook('onClose', async () => {
      closing.abort()
      await client.close()
    })
  },
  { name: 'mongo', dependencies: ['settings'] }
)
