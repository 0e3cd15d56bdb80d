import { importRefused, type LineError, unavailable } from '../../errors.js'
import type { ImportedKind } from '../index.js'

/** What an import in a process of its own came to. */
export type ImportOutcome =
  | { status: 'imported'; counts: ImportedKind }
  /** With the first errors, and the number of the rest. Nothing was written. */
  | { status: 'refused'; errors: LineError[]; rest: number }
  | { status: 'interrupted' }
  /** `unavailable` if the database was. */
  | { status: 'unavailable' | 'failed'; cause: string }

/** The counts for the caller. If there are none, throws the answer instead. */
export const countsOf = (outcome: ImportOutcome, warn: (cause: string) => void) => {
  switch (outcome.status) {
    case 'imported': {
      const { added, changed, unchanged, pruned = 0 } = outcome.counts
      return { added, changed, unchanged, removed: pruned }
    }
    case 'refused':
      throw importRefused(outcome.errors, outcome.rest)
    case 'failed':
      throw new Error(outcome.cause)
    default:
      warn(outcome.status === 'interrupted' ? 'the service is stopping' : outcome.cause)
      throw unavailable()
  }
}
