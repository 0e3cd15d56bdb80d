import type { Registry } from 'prom-client'
import type { EndedSessions } from '../identity/ended-sessions.js'
import { gauge } from './gauge.js'

export const endedSessionMetrics = (registry: Registry, ended: EndedSessions) => {
  gauge(registry, 'ended_sessions', 'Ended sessions in memory: those whose access tokens have not all expired', () => ended.size)
}
