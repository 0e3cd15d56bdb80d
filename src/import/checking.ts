import type { TSchema } from '@sinclair/typebox'
import type { ErrorObject } from 'ajv'
import { type ImportKind, importRecords } from '../../schemas/import.js'
import { Refusal } from '../privacy/audit.js'
import { inputAjv, rule } from '../validators.js'
import type { Entry, Kind, ReportFault } from './kind.js'
import { type BatchOptions, batchesOf, type Piece, parsed } from './records.js'
import type { Source } from './sources.js'

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

/** The first hundred warnings, sorted by line. The file must have been checked. */
export const warningsOf = async ({ name: file }: Source, kind: Kind) => {
  const warnings: RecordFault[] = []
  const keepFirst = () => warnings.sort((one, other) => one.place - other.place).splice(shown)
  await kind.warn?.((place, field, reason) => {
    warnings.push({ file, place, field, reason: clipped(reason) })
    if (warnings.length > 10 * shown) keepFirst()
  })
  keepFirst()
  return warnings
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error && 'path' in error

const shown = 100

export interface RecordFault {
  file: string
  place: number
  field: string
  reason: string
}

/** A string is the fault of a whole file, or of an input without fields. */
export type Fault = RecordFault | string

export const lineOf = (fault: Fault) =>
  typeof fault === 'string' ? fault : `${fault.file}:${fault.place}: ${fault.field}: ${fault.reason}`

/** The first hundred faults of a run, and the number of the rest. */
export class Faults {
  readonly first: Fault[] = []
  rest = 0

  add(fault: Fault) {
    if (this.first.length < shown) this.first.push(fault)
    else this.rest++
  }

  get any() {
    return this.first.length > 0
  }

  get lines() {
    return this.first.map(lineOf)
  }
}

/** The files cannot be imported. Nothing was written. */
export class ImportError extends Refusal {
  constructor(readonly faults: Faults) {
    super([...faults.lines, ...(faults.rest > 0 ? [`and ${faults.rest} more`] : [])].join('\n'))
  }
}

/** The records that match their schema. Reports the others. */
const valid = (source: Source, pieces: Piece[], report: ReportFault) => {
  const entries: Entry<unknown>[] = []
  for (const piece of pieces) {
    const json = parsed(piece)
    if ('fault' in json) {
      report(piece.place, 'JSON', json.fault)
      continue
    }
    const found = faultsOf(source.kind, json.value) ?? malformedTexts(json.text, json.value as object)
    if (!found) entries.push({ record: json.value, place: piece.place })
    else for (const [field, reason] of found) report(piece.place, field, reason)
  }
  return entries
}

/**
 * Reported names and reasons are clipped, because they may be as long as their record, and a hundred that long would not fit into memory.
 */
const mostCharacters = 200
const clipped = (text: string) => (text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text)

/** The faults of a record by field, without coercion. */
const faultsOf = (kind: ImportKind, record: unknown): Map<string, string> | undefined => {
  const validate = inputAjv.compile(importRecords[kind])
  if (validate(record)) return undefined
  const faults = new Map<string, string>()
  for (const error of validate.errors as ErrorObject[]) {
    const field = fieldOf(error)
    if (!faults.has(field)) faults.set(field, reasonOf(error, kind))
  }
  return faults
}

const fieldOf = ({ instancePath, keyword, params }: ErrorObject) => {
  const path = instancePath.split('/').slice(1).map(unescaped)
  if (keyword === 'required') path.push(params.missingProperty)
  if (keyword === 'additionalProperties') path.push(params.additionalProperty)
  return path.join('.') || 'JSON'
}

/** Decodes a part of a JSON pointer. */
const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

const reasonOf = ({ keyword, propertyName, parentSchema }: ErrorObject, kind: ImportKind) => {
  if (keyword === 'required') return 'is required'
  if (keyword === 'additionalProperties') return `is not a field of ${kind}`
  const must = `must be ${rule(parentSchema as TSchema, keyword)}`
  return propertyName === undefined ? must : `${JSON.stringify(propertyName)} ${must}`
}

/** Valid UTF-8 has no lone surrogates, so only a record with such an escape needs to be checked. */
const surrogateEscape = /\\ud[89a-f]/i

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/**
 * Lone surrogates of a record that matches its schema, by field. MongoDB would replace them, so two ids could become one, and a second run
 * would find neither.
 */
const malformedTexts = (json: string, record: object): Map<string, string> | undefined => {
  if (!surrogateEscape.test(json)) return undefined
  const faults = new Map<string, string>()
  // A work list instead of recursion, because free-form objects may be nested more deeply than the stack allows.
  const values = Object.entries(record).map(([field, value]) => ({ field, value }))
  for (const { field, value } of values) {
    if (typeof value === 'string' && !value.isWellFormed()) faults.set(field, 'must not contain unpaired surrogates')
    if (!isObject(value)) continue
    for (const [key, inner] of Object.entries(value)) {
      if (key.isWellFormed()) values.push({ field: `${field}.${key}`, value: inner })
      else faults.set(field, 'must not have keys with unpaired surrogates')
    }
  }
  return faults.size > 0 ? faults : undefined
}
