import type { Registry } from 'prom-client'
import { durationBounds, histogram, type Observe } from './histogram.js'

/** Returns a function that takes a route, and returns the one to call with the method, status and duration of each of its answers. */
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
