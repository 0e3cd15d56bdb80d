import type { Progress } from '../src/import/index.js'

const barWidth = 24
const redrawnEvery = 100
const saidEvery = 5000

const verbs = { check: 'Checking', write: 'Writing' }

const number = (value: number) => Math.round(value).toLocaleString('en')

const clock = (seconds: number) => {
  const whole = Math.ceil(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return parts.map(part => String(part).padStart(2, '0')).join(':')
}

/** Shows how far an import is: a bar on a terminal, a line every few seconds elsewhere. */
export const progressTo = (output: NodeJS.WriteStream) => {
  let step = ''
  let file = ''
  let stepBegan = 0
  let fileBegan = 0
  let shownAt = 0

  const show = ({ step, file, records, done, total }: Progress, now: number) => {
    const part = total === 0 ? 1 : done / total
    const rate = (records * 1000) / Math.max(now - fileBegan, 1)
    const left = part === 0 ? '' : `, ${clock(((now - stepBegan) / 1000) * (1 / part - 1))} left`
    const text = `${verbs[step]} ${file}: ${number(records)} records, ${number(rate)}/s${left}`
    if (!output.isTTY) return output.write(`${text} (${Math.floor(part * 100)} %)\n`)
    const full = Math.round(part * barWidth)
    const line = `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}] ${String(Math.floor(part * 100)).padStart(3)} % ${text}`
    return output.write(`\r${line.slice(0, (output.columns || 80) - 1)}\x1b[K`)
  }

  return {
    update(progress: Progress) {
      const now = performance.now()
      if (progress.step !== step) stepBegan = now
      if (progress.step !== step || progress.file !== file) {
        fileBegan = now
        if (!output.isTTY) shownAt = now
      }
      step = progress.step
      file = progress.file
      if (now - shownAt < (output.isTTY ? redrawnEvery : saidEvery)) return
      shownAt = now
      show(progress, now)
    },
    /** Makes room for other lines. */
    clear() {
      if (output.isTTY) output.write('\r\x1b[K')
    }
  }
}
