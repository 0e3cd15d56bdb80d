import { once } from 'node:events'
import { setPriority } from 'node:os'
import { closeSoon, connectionTo } from '../../data/driver/connection.js'
import { isUnavailable } from '../../data/driver/faults.js'
import { stopSignals } from '../../process/stop-signals.js'
import { ImportError, importFiles } from '../index.js'
import type { ImportOutcome } from './outcome.js'
import type { ImportOrder } from './start-child.js'

/** The faults of the lines. There are none if the file itself cannot be read. */
const lineErrors = (error: unknown) => {
  if (!(error instanceof ImportError)) return []
  const errors = error.faults.first.flatMap(fault =>
    typeof fault === 'string' ? [] : [{ line: fault.place, field: fault.field, message: fault.reason }]
  )
  return errors.sort((a, b) => a.line - b.line)
}

const outcomeOf = async ({ url, path, prune, issuer }: ImportOrder, signal: AbortSignal): Promise<ImportOutcome> => {
  const { client, db } = connectionTo(url, { serverSelectionTimeoutMS: 5000 })
  try {
    const { kinds, interrupted } = await importFiles(db, [path], { prune, issuer, signal })
    const [counts] = Object.values(kinds)
    return interrupted || !counts ? { status: 'interrupted' } : { status: 'imported', counts }
  } catch (error) {
    const errors = lineErrors(error)
    if (errors.length > 0) return { status: 'refused', errors, rest: (error as ImportError).faults.rest }
    return { status: isUnavailable(error) ? 'unavailable' : 'failed', cause: String((error as Error).stack) }
  } finally {
    await closeSoon(client)
  }
}

// Processes that serve requests take precedence over this one, which start-child.ts starts.
setPriority(10)
// The service disconnects to stop an import, and a crash disconnects too: the import then ends after its batch. Ctrl-C and some service
// managers signal the whole group, so signals are ignored.
const stop = new AbortController()
process.on('disconnect', () => stop.abort())
for (const signal of stopSignals) process.on(signal, () => {})

const [order] = (await once(process, 'message')) as [ImportOrder]
const outcome = await outcomeOf(order, stop.signal)
process.send?.(outcome, () => process.exit())
