import { stopSignals } from './stop-signals.js'

/**
 * Until it serves, nothing is under way: a signal to stop ends the process there and then. Without it, the first process
 * of a container, to which signals do nothing by themselves, would start all the same and be killed later.
 */
for (const signal of stopSignals) process.on(signal, () => process.exit())
