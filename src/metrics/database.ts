import type { MongoClient } from 'mongodb'
import type { Registry } from 'prom-client'
import type { OperationsOf } from '../data/driver/watched.js'
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

export const databaseMetrics = (registry: Registry, client: MongoClient): OperationsOf => {
  poolMetrics(registry, client)
  const operations = durations(registry, 'mongodb_operation_duration_seconds', 'Time from an operation on the database to its end')
  return (collection, kind) => operations({ collection, kind })
}
