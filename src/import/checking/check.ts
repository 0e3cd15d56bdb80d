import type { Entry, Kind, ReportFault } from '../kind.js'
import type { Source } from '../reading/sources.js'
import type { Piece } from '../reading/text.js'
import { type BatchOptions, batchesOf, parsed } from '../records.js'
import type { Faults } from './faults.js'
import { faultsOf } from './validation.js'
import { malformedTexts } from './well-formed.js'

/** The records that match their schema. Reports the others. */
const valid = (source: Source, pieces: Piece[], report: ReportFault) => {
  const entries: Entry<unknown>[] = []
  for (const piece of pieces) {
    const json = parsed(piece)
    if ('fault' in json) {
      report(piece.place, 'JSON', json.fault)
      continue
    }
    const found = faultsOf(source.kind, json.value) ?? malformedTexts(json.text, json.value)
    if (!found) entries.push({ record: json.value, place: piece.place })
    else for (const [field, reason] of found) report(piece.place, field, reason)
  }
  return entries
}

/** A reported name or reason may be as long as its record, and a hundred of that length would not fit into memory. */
const mostCharacters = 200
const clipped = (text: string) => (text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text)

export const checkFile = async (source: Source, kind: Kind, faults: Faults, { onBatch, signal }: BatchOptions) => {
  const naming = source.format === 'json' ? 'by record' : 'in line'
  const report: ReportFault = (place, field, reason, other) => {
    const where = other === undefined ? '' : ` ${naming} ${other}`
    faults.add({ file: source.name, place, field: clipped(field), reason: `${clipped(reason)}${where}` })
  }
  try {
    for await (const { pieces, bytes } of batchesOf(source)) {
      if (signal?.aborted) return
      await kind.check(valid(source, pieces, report), report)
      onBatch(bytes, pieces.length)
    }
  } catch (error) {
    if (!isFileError(error)) throw error
    faults.add(`${source.name}: cannot be read (${error.code})`)
  }
  await kind.checkAll?.(report)
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error && 'path' in error
