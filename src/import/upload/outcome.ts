import { isUnavailable } from '../../data/driver/faults.js'
import { LeaseLost } from '../../data/leases.js'
import { importLost, importRefused, type LineError, unavailable } from '../../errors.js'
import { ImportError } from '../checking/faults.js'
import type { ImportedKind, ImportResult } from '../index.js'

/** The outcome of an import in a process of its own. */
export type ImportOutcome =
  | { status: 'imported'; counts: ImportedKind }
  /** With the first errors, and the number of the rest. Nothing was written. */
  | { status: 'refused'; errors: LineError[]; rest: number }
  | { status: 'interrupted' }
  | { status: 'lost' | 'unavailable' | 'failed'; cause: string }

export const outcomeOf = ({ kinds, interrupted }: ImportResult): ImportOutcome => {
  const [counts] = Object.values(kinds)
  return interrupted ? { status: 'interrupted' } : { status: 'imported', counts: counts as ImportedKind }
}

/** The faults of the lines. There are none if the file itself cannot be read. */
const lineErrors = (error: ImportError) => {
  const errors = error.faults.first.flatMap(fault =>
    typeof fault === 'string' ? [] : [{ line: fault.place, field: fault.field, message: fault.reason }]
  )
  return errors.sort((a, b) => a.line - b.line)
}

export const outcomeOfError = (error: Error): ImportOutcome => {
  const errors = error instanceof ImportError ? lineErrors(error) : []
  if (errors.length > 0) return { status: 'refused', errors, rest: (error as ImportError).faults.rest }
  if (error instanceof LeaseLost) return { status: 'lost', cause: error.message }
  return { status: isUnavailable(error) ? 'unavailable' : 'failed', cause: String(error.stack) }
}

/** The counts for the caller. If there are none, throws the answer instead. */
export const countsOrThrow = (outcome: ImportOutcome, warn: (cause: string) => void) => {
  switch (outcome.status) {
    case 'imported': {
      const { added, changed, unchanged, pruned = 0 } = outcome.counts
      return { added, changed, unchanged, removed: pruned }
    }
    case 'refused':
      throw importRefused(outcome.errors, outcome.rest)
    case 'failed':
      throw new Error(outcome.cause)
    case 'lost':
      warn(outcome.cause)
      throw importLost()
    default:
      warn(outcome.status === 'interrupted' ? 'the service is stopping' : outcome.cause)
      throw unavailable()
  }
}
