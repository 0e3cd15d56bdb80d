import { stopSignals } from './serve.js'

/**
 * Until `serve` takes over, exits at once on a stop signal. The first process of a container ignores signals without a handler, so it would
 * finish starting and then be killed.
 */
for (const signal of stopSignals) process.on(signal, () => process.exit())
