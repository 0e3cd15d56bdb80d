const shown = 100

/** What is wrong with a record. */
interface RecordFault {
  file: string
  place: number
  field: string
  reason: string
}

/** A string says what is wrong with a whole file, or with an input that has no fields. */
export type Fault = RecordFault | string

const lineOf = (fault: Fault) => (typeof fault === 'string' ? fault : `${fault.file}:${fault.place}: ${fault.field}: ${fault.reason}`)

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
export class ImportError extends Error {
  constructor(readonly faults: Faults) {
    super([...faults.lines, ...(faults.rest > 0 ? [`and ${faults.rest} more`] : [])].join('\n'))
  }
}
