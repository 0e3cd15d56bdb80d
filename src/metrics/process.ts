import { collectDefaultMetrics, Registry } from 'prom-client'
import { keptBytes } from '../kept.js'
import { gauge } from './gauge.js'

/** Processor time, memory, garbage, event loop: one for all apps of a process, since what observes them is never taken down. */
export const processMetrics = new Registry()
collectDefaultMetrics({ register: processMetrics })
gauge(
  processMetrics,
  'kept_bytes',
  'All that is kept in memory up to a bound, with its keys: answers, contents, lists, tokens, callers',
  keptBytes
)
