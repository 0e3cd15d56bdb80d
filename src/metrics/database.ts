import type { MongoClient } from 'mongodb'
import { Histogram, type Registry } from 'prom-client'
import type { OnOperation } from '../data/watched.js'
import { durations } from './durations.js'
import { gauge } from './gauge.js'

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
  gauge(registry, 'mongodb_pool_open', 'Connections to the database', () => open)
  gauge(registry, 'mongodb_pool_in_use', 'Connections on which an operation is under way', () => inUse)
  gauge(registry, 'mongodb_pool_waiting', 'Operations that wait for a connection', () => waiting)
}

/** Gives what is to be told of each operation. */
export const databaseMetrics = (registry: Registry, client: MongoClient): OnOperation => {
  poolMetrics(registry, client)
  const operations = new Histogram({
    name: 'mongodb_operation_duration_seconds',
    help: 'Time from an operation on the database to its end',
    labelNames: ['collection', 'kind'],
    buckets: durations,
    registers: [registry]
  })
  return (collection, kind, milliseconds) => operations.observe({ collection, kind }, milliseconds / 1000)
}
