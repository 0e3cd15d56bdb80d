import { seconds } from '../time.js'

/** A caller that still has not read its answer this long after the service stopped listening is cut off. */
export const requestGrace = seconds(8)
/** An import over HTTP that still runs this long after the service stopped listening ends after its current batch. */
export const importGrace = requestGrace - seconds(2)
/** How long closing may take before the process exits regardless. Longer than `requestGrace`, because the database is closed last. */
export const closeTimeout = requestGrace + seconds(2)

export const stopSignals = ['SIGTERM', 'SIGINT'] as const
