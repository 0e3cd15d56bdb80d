import type { Registry } from 'prom-client'
import type { InFlight } from '../overload/in-flight.js'
import { gauge } from './gauge.js'

export const admissionMetrics = (registry: Registry, inProgress: InFlight) =>
  gauge(
    registry,
    'http_requests_waiting',
    'Requests in progress, most of them waiting for the database. Excludes logins and imports',
    () => inProgress.count
  )
