import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import type { MongoClient } from 'mongodb'
import { closeSoon, connectionTo } from '../src/data/driver/connection.js'
import { timed } from '../src/data/driver/timing.js'
import { type Data, dataOf, ensureIndexes } from '../src/data/index.js'
import { accessTokensEndAfter } from '../src/data/session-ends.js'
import { EndedSessions } from '../src/identity/ended-sessions.js'
import { databaseMetrics } from '../src/metrics/database.js'
import { Outage } from '../src/overload/outage.js'
import { singleFlight } from '../src/overload/single-flight.js'
import { poll } from '../src/poll.js'
import { seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    data: Data
    /** The same data over a small pool of its own, so that requests delay neither /ready nor the polling for changes. */
    backgroundData: Data
    /** Sessions that this process ends are added at once. plugins/refused-tokens.ts adds those that other processes end. */
    endedSessions: EndedSessions
    /** The client of `data`. Only tests use it: they watch its commands, and change the database behind the app's back. */
    mongoClient: MongoClient
    /** Steps to be done before the first request is served: one after the other, each repeated until it succeeds. */
    preparations: (() => Promise<void>)[]
    /** Calls `read` before the first request is served, and again every second. The log calls it `what`. */
    follow: (what: string, read: () => Promise<void>) => void
    /** Resolves when the app is prepared, or closes. */
    whenPrepared: Promise<void>
    isPrepared: () => boolean
    /** Pings the database; false until the app is prepared. */
    reachDatabase: () => Promise<boolean>
    outage: Outage
  }
}

/** One to poll for changes, and one for /ready. */
const backgroundConnections = 2
const retryEvery = seconds(1)
/** In attempts. */
const warnEvery = 15

/** Connects in the background: without its database, the service starts, logs a warning and keeps trying. */
export default fp(
  async app => {
    const { settings } = app
    const timeouts = {
      timeoutMS: settings.DATABASE_TIMEOUT,
      serverSelectionTimeoutMS: settings.DATABASE_TIMEOUT,
      // Short, because a handshake with an unresponsive server delays the handshakes after it.
      connectTimeoutMS: settings.DATABASE_TIMEOUT
    }
    const { client, db } = connectionTo(settings.MONGO_URL, { ...timeouts, maxPoolSize: settings.DATABASE_CONNECTIONS })
    const background = connectionTo(settings.MONGO_URL, { ...timeouts, maxPoolSize: backgroundConnections })
    const closing = new AbortController()
    const preparations = [async () => void (await Promise.all([client.connect(), background.client.connect()])), () => ensureIndexes(db)]
    let isPrepared = false

    const prepare = async () => {
      let done = 0
      for (let attempt = 0; !closing.signal.aborted; attempt++) {
        try {
          for (const step of preparations.slice(done)) {
            await step()
            done++
          }
          isPrepared = true
          app.log.info(`serving from the database ${db.databaseName}`)
          return
        } catch (err) {
          if (closing.signal.aborted) return
          if (attempt % warnEvery === 0) app.log.warn({ err }, 'the service could not be prepared, trying again every second')
          await sleep(retryEvery, undefined, { signal: closing.signal }).catch(() => undefined)
        }
      }
    }

    let begin: (preparing: Promise<void>) => void
    app.decorate(
      'whenPrepared',
      new Promise<void>(resolve => {
        begin = resolve
      })
    )
    app.addHook('onReady', async () => begin(prepare()))

    const timerOf = databaseMetrics(app.metrics, client)
    const endedSessions = new EndedSessions()
    const onSessionsEnded = (sids: string[]) => endedSessions.add(sids, accessTokensEndAfter(settings.ACCESS_TOKEN_TTL))
    app.decorate('endedSessions', endedSessions)
    app.decorate('data', dataOf(timed(db, timerOf), settings, onSessionsEnded))
    app.decorate('backgroundData', dataOf(timed(background.db, timerOf), settings, onSessionsEnded))
    app.decorate('mongoClient', client)
    app.decorate('preparations', preparations)
    app.decorate('follow', (what, read) => {
      preparations.push(async () => {
        await read()
        void poll(read, closing.signal, err => app.log.warn({ err }, `the ${what} could not be read, trying again every second`))
      })
    })
    const ping = singleFlight(() =>
      background.db.command({ ping: 1 }).then(
        () => true,
        () => false
      )
    )
    app.decorate('isPrepared', () => isPrepared)
    const reachDatabase = async () => isPrepared && (await ping())
    app.decorate('reachDatabase', reachDatabase)
    app.decorate('outage', new Outage(reachDatabase, closing.signal))

    app.addHook('onClose', async () => {
      closing.abort()
      await Promise.all([client, background.client].map(closeSoon))
    })
  },
  { name: 'mongo', dependencies: ['settings', 'metrics'] }
)
