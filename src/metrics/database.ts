import type { MongoClient } from 'mongodb'
import type { Registry } from 'prom-client'
import type { TimerOf } from '../data/driver/timing.js'
import { gauge } from './gauge.js'
import { durationBounds, histogram } from './histogram.js'

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

export const databaseMetrics = (registry: Registry, client: MongoClient): TimerOf => {
  poolMetrics(registry, client)
  const operations = histogram(registry, {
    name: 'mongodb_operation_duration_seconds',
    help: 'Duration of database operations',
    bounds: durationBounds
  })
  return (collection, kind) => {
    const observe = operations({ collection, kind })
    return milliseconds => observe(milliseconds / 1000)
  }
}
