/** A promise, and whether it was kept. */
export interface Finding {
  promise: string
  /** Undefined if the run was too short to tell. */
  kept: boolean | undefined
  figures: string
}

export const promised = (promise: string, kept: boolean | undefined, figures: string): Finding => ({ promise, kept, figures })

const words = new Map([
  [true, 'kept'],
  [false, 'BROKEN'],
  [undefined, 'unknown']
])

export const lineOf = ({ promise, kept, figures }: Finding) => `${words.get(kept)?.padEnd(8)}  ${promise}: ${figures}`

export const allKept = (findings: Finding[]) => findings.every(({ kept }) => kept !== false)

export const milliseconds = (value: number) => `${Math.round(value)} ms`
