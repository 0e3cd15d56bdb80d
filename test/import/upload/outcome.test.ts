import t from 'tap'
import { LeaseLost } from '../../../src/data/leases.js'
import type { ErrorAnswer } from '../../../src/errors.js'
import { countsOrThrow, type ImportOutcome, outcomeOf, outcomeOfError } from '../../../src/import/upload/outcome.js'

t.test('the outcome of an interrupted import leaves out what was written before', async t => {
  const counts = { added: 1, changed: 0, unchanged: 0 }
  t.strictSame(outcomeOf({ kinds: { contents: counts }, interrupted: true }), { status: 'interrupted' })
  t.strictSame(outcomeOf({ kinds: { contents: counts }, interrupted: false }), { status: 'imported', counts })
})

t.test('what a caller gets for the outcome of an import', async t => {
  const warnings: string[] = []
  const answerTo = (outcome: ImportOutcome) => countsOrThrow(outcome, cause => warnings.push(cause))
  const counts = { added: 1, changed: 2, unchanged: 3 }
  t.strictSame(answerTo({ status: 'imported', counts }), { ...counts, removed: 0 })
  t.strictSame(answerTo({ status: 'imported', counts: { ...counts, pruned: 4 } }), { ...counts, removed: 4 })

  const thrownBy = (outcome: ImportOutcome) => {
    try {
      return answerTo(outcome)
    } catch (error) {
      return { ...(error as ErrorAnswer), message: (error as Error).message }
    }
  }
  const errors = [{ line: 3, field: 'name', message: 'is required' }]
  const refused = (rest: number) => thrownBy({ status: 'refused', errors, rest })
  t.match(refused(0), { statusCode: 400, message: 'line 3: name is required', body: { errors } })
  t.match(refused(1), { message: 'line 3: name is required, and 1 more error' })
  t.match(refused(2), { message: 'line 3: name is required, and 2 more errors' })
  t.strictSame(thrownBy({ status: 'failed', cause: 'the disk is full' }), { message: 'the disk is full' })
  t.strictSame(warnings, [])

  for (const outcome of [{ status: 'interrupted' }, { status: 'unavailable', cause: 'the database is down' }] as const)
    t.match(thrownBy(outcome), { statusCode: 503, headers: { 'retry-after': '1' } })
  t.match(thrownBy(outcomeOfError(new LeaseLost('import'))), { statusCode: 409, headers: { 'retry-after': '5' } })
  const lost = 'The lease of this import ran out, probably because the database did not respond for a minute'
  t.strictSame(warnings, ['the service is stopping', 'the database is down', lost])
})
