import { collectDefaultMetrics, Registry } from 'prom-client'
import { trackedBytes } from '../cache.js'
import { gauge } from './gauge.js'

/** Processor, memory and event loop. Shared by all apps of a process, since prom-client never removes its observers. */
export const processMetrics = new Registry()
collectDefaultMetrics({ register: processMetrics })
gauge(
  processMetrics,
  'kept_bytes',
  'Size of all bounded caches together, with their keys: answers, contents, lists, tokens, callers',
  trackedBytes
)
