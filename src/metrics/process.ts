import { collectDefaultMetrics, Registry } from 'prom-client'

/** Processor time, memory, garbage, event loop: one for all apps of a process, since what observes them is never taken down. */
export const processMetrics = new Registry()
collectDefaultMetrics({ register: processMetrics })
