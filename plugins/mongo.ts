import fp from 'fastify-plugin'
import type { Db, MongoClient } from 'mongodb'
import type { Registry } from 'prom-client'
import { countMisfits, ensureCollections, validators } from '../src/database/collections.js'
import { closeSoon, connectionTo, timeoutsOf } from '../src/database/connection.js'
import { type Data, dataOf } from '../src/database/data.js'
import { type Operation, observed } from '../src/database/observing.js'
import { EndedSessions } from '../src/identity/revocations.js'
import { accessTokensEndAfter } from '../src/identity/session-ends.js'
import { gauge, histogram } from '../src/metrics/instruments.js'
import { Outage } from '../src/overload/outage.js'
import { Nudger, nudgesOf } from '../src/sync/index.js'
import { seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    data: Data
    /** The same data over a small pool of its own, so that requests delay neither /ready nor the polling for changes. */
    pollData: Data
    /** The same data for work that nobody waits for, and that may take minutes. */
    jobData: Data
    jobDatabase: Db
    /** Sessions that this process ends are added at once. plugins/revocations.ts adds those that other processes end. */
    endedSessions: EndedSessions
    /**
     * The client of `data`. Used only by `preparation` and by tests, which watch its commands and change the database behind the app's
     * back.
     */
    mongoClient: MongoClient
    /** Connects, and creates missing indexes. */
    prepareDatabase: () => Promise<void>
    pingDatabase: () => Promise<boolean>
    outage: Outage
    /** Tells other processes of every write to the lists of viewers. */
    nudger: Nudger
  }
}

const pollConnections = 2
const pollTimeout = seconds(2)
/** For what nobody waits for: building indexes, leases and the work under them, completing erasures, loading models. */
const jobConnections = 6

/** The connections to the database, and the queries over them. */
export default fp(
  async app => {
    const { settings } = app
    const { MONGO_URL, DATABASE_CONNECTIONS, DATABASE_TIMEOUT } = settings
    const { client, db } = connectionTo(MONGO_URL, {
      ...timeoutsOf(DATABASE_TIMEOUT),
      // The caller is gone by then. Most late responses arrive sooner, and keeping their connections costs less than opening new ones.
      socketTimeoutMS: 3 * DATABASE_TIMEOUT,
      maxPoolSize: DATABASE_CONNECTIONS
    })
    const polls = connectionTo(MONGO_URL, { ...timeoutsOf(pollTimeout), maxPoolSize: pollConnections })
    const jobs = connectionTo(MONGO_URL, { serverSelectionTimeoutMS: DATABASE_TIMEOUT, maxPoolSize: jobConnections })
    const closing = new AbortController()

    poolMetrics(app.metrics, client)
    const measure = measurerOf(app.metrics)
    const endedSessions = new EndedSessions()
    const onSessionsEnded = (sids: string[]) => endedSessions.add(sids, accessTokensEndAfter(settings.ACCESS_TOKEN_TTL))
    const nudger = new Nudger(nudgesOf(observed(polls.db, measure)))
    const dataFrom = (source: Db) => dataOf(observed(source, measure), settings, { onSessionsEnded, onChange: nudger.onChange })
    app.decorate('endedSessions', endedSessions)
    app.decorate('nudger', nudger)
    app.decorate('data', dataFrom(db))
    app.decorate('pollData', dataFrom(polls.db))
    app.decorate('jobData', dataFrom(jobs.db))
    app.decorate('jobDatabase', jobs.db)
    app.decorate('mongoClient', client)
    app.decorate('prepareDatabase', async () => {
      await Promise.all([client, polls.client, jobs.client].map(one => one.connect()))
      const unguarded = await ensureCollections(jobs.db)
      if (unguarded.length > 0) app.log.warn({ collections: unguarded }, 'the database user may not set validators (collMod)')
      nudger.beat()
      app.log.info(`connected to the database ${db.databaseName}`)
    })
    // Once the service is ready, so that startup does not take longer with more data.
    const reportMisfits = async () => {
      await app.whenReady
      for (const collection of Object.keys(validators)) {
        try {
          const count = await countMisfits(jobs.db, collection)
          if (count > 0) app.log.warn({ collection, count }, `documents of ${collection} do not fit its validator: ${count}`)
        } catch (err) {
          if (!closing.signal.aborted)
            app.log.warn({ collection, err }, `could not check whether the documents of ${collection} fit its validator`)
        }
      }
    }
    app.addHook('onReady', async () => void reportMisfits())

    // Concurrent calls share one ping.
    let pending: Promise<boolean> | undefined
    const pingDatabase = () => {
      pending ??= polls.db
        .command({ ping: 1 }, { signal: AbortSignal.timeout(DATABASE_TIMEOUT) })
        .then(
          () => true,
          () => false
        )
        .finally(() => {
          pending = undefined
        })
      return pending
    }
    app.decorate('pingDatabase', pingDatabase)
    app.decorate('outage', new Outage(pingDatabase, closing.signal))

    app.addHook('onClose', async () => {
      closing.abort()
      await nudger.close()
      await Promise.all([client, polls.client, jobs.client].map(closeSoon))
    })
  },
  { name: 'mongo', dependencies: ['metrics'], decorators: { fastify: ['settings'] } }
)

const poolMetrics = (registry: Registry, client: MongoClient) => {
  let open = 0
  let inUse = 0
  let waiting = 0
  client
    .on('connectionCreated', () => open++)
    .on('connectionClosed', () => open--)
    .on('connectionCheckOutStarted', () => waiting++)
    .on('connectionCheckOutFailed', () => waiting--)
    .on('connectionCheckedOut', () => {
      waiting--
      inUse++
    })
    .on('connectionCheckedIn', () => inUse--)
  gauge(registry, 'mongodb_pool_open', 'Open connections to the database', () => open)
  gauge(registry, 'mongodb_pool_in_use', 'Connections that are running an operation', () => inUse)
  gauge(registry, 'mongodb_pool_waiting', 'Operations waiting for a connection', () => waiting)
}

const measurerOf = (registry: Registry) => {
  const operations = histogram(registry, 'mongodb_operation_duration_seconds', 'Duration of database operations', ['collection', 'kind'])
  return ({ collection, kind, milliseconds }: Operation) => operations.observe({ collection, kind }, milliseconds / 1000)
}
