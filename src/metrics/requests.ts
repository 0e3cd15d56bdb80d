import type { Registry } from 'prom-client'
import { durationBounds, histogram, type Observe } from './histogram.js'

/** Call the returned function once for each route, and the function that this returns for each answer of the route. */
export const requestMetrics = (registry: Registry) => {
  const answered = histogram(registry, {
    name: 'http_request_duration_seconds',
    help: 'Duration of requests until the end of the answer',
    bounds: durationBounds
  })
  return (route: string) => {
    const known = new Map<string, Observe>()
    return (method: string, status: number, milliseconds: number) => {
      const key = method + status
      let observe = known.get(key)
      if (!observe) {
        observe = answered({ method, route, status })
        known.set(key, observe)
      }
      observe(milliseconds / 1000)
    }
  }
}
