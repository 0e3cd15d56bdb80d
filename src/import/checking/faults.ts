const shown = 100

/** The faults of a run: the first hundred and the number of the rest. */
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

/** The files cannot be imported as they are; nothing was written. */
export class ImportError extends Error {
  constructor(readonly faults: Faults) {
    super([...faults.lines, ...(faults.rest > 0 ? [`and ${faults.rest} more`] : [])].join('\n'))
  }
}
