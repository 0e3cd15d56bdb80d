const shown = 100

/** The first hundred faults of a run, and the number of the rest. */
export class Faults {
  readonly lines: string[] = []
  rest = 0

  add(line: string) {
    if (this.lines.length < shown) this.lines.push(line)
    else this.rest++
  }

  get any() {
    return this.lines.length > 0
  }
}

/** The files cannot be imported. Nothing was written. */
export class ImportError extends Error {
  constructor(readonly faults: Faults) {
    super([...faults.lines, ...(faults.rest > 0 ? [`and ${faults.rest} more`] : [])].join('\n'))
  }
}
