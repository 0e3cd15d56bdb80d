const barWidth = 24
const redrawnEvery = 100
const saidEvery = 5000

const verbs = { check: 'Checking', read: 'Reading', choose: 'Choosing', train: 'Training', compare: 'Comparing', write: 'Writing' }
const units = { check: 'records', read: 'records', choose: 'trials', train: 'steps', compare: 'records', write: 'records' }

interface Progress {
  step: keyof typeof verbs
  file: string
  records: number
  /** What is counted, if different from the default of the step. */
  unit?: string
  done: number
  total: number
}

const grouped = (value: number) => Math.round(value).toLocaleString('en')

const clock = (seconds: number) => {
  const whole = Math.ceil(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return parts.map(part => String(part).padStart(2, '0')).join(':')
}

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

/** Shows the progress of a command: a bar on a terminal, otherwise a line every few seconds. */
export const progressTo = (output: Output, now = () => performance.now()) => {
  const interval = output.isTTY ? redrawnEvery : saidEvery
  let step = ''
  let file = ''
  let updatedAt = now()
  let shownAt = updatedAt
  let stepBegan = updatedAt
  let fileBegan = updatedAt

  const show = ({ step, file, records, unit = units[step], done, total }: Progress) => {
    const part = total === 0 ? 1 : done / total
    const rate = (records * 1000) / Math.max(updatedAt - fileBegan, 1)
    const left = part === 0 ? '' : `, ${clock(((updatedAt - stepBegan) / 1000) * (1 / part - 1))} left`
    const percent = `${Math.floor(part * 100)} %`
    const text = `${verbs[step]} ${file}: ${grouped(records)} ${unit}, ${grouped(rate)}/s${left}`
    if (!output.isTTY) return output.write(`${percent} ${text}\n`)
    const bar = '#'.repeat(Math.round(part * barWidth)).padEnd(barWidth, '-')
    const line = `[${bar}] ${percent} ${text}`
    return output.write(`\r${line.slice(0, (output.columns || 80) - 1)}\x1b[K`)
  }

  return {
    update(progress: Progress) {
      // A step or file begins at the last update of the previous one, because its own first update comes after its first records.
      if (progress.step !== step) stepBegan = updatedAt
      if (progress.step !== step || progress.file !== file) fileBegan = updatedAt
      step = progress.step
      file = progress.file
      updatedAt = now()
      if (updatedAt - shownAt < interval) return
      shownAt = updatedAt
      show(progress)
    },
    /** Clears the bar, so that other lines can be printed. */
    clear() {
      if (output.isTTY) output.write('\r\x1b[K')
    }
  }
}
