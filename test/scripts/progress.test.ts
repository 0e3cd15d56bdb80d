import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { progressTo } from '../../scripts/progress.js'

/** What is written to an output while time goes by as the test wants. */
const shownOn = (terminal: { isTTY: boolean; columns: number }) => {
  const written: string[] = []
  let time = 0
  const write = (text: string) => written.push(text) > 0
  const progress = progressTo({ ...terminal, write: write as NodeJS.WriteStream['write'] }, () => time)
  return { written, progress, pass: (milliseconds: number) => (time += milliseconds) }
}

const writing = { step: 'write', file: 'contents.ndjson' } as const

t.test('a terminal has a bar with rate and time left, drawn ten times a second', async t => {
  const { written, progress, pass } = shownOn({ isTTY: true, columns: 120 })
  pass(1000)
  progress.update({ step: 'check', file: 'terms.ndjson', records: 5, done: 100, total: 100 })
  pass(50)
  progress.update({ ...writing, records: 1000, done: 10, total: 100 })
  pass(1950)
  progress.update({ ...writing, records: 4000, done: 25, total: 100 })
  progress.clear()
  t.strictSame(written, [
    '\r[########################] 100 % Checking terms.ndjson: 5 records, 5/s, 00:00:00 left\x1b[K',
    '\r[######------------------] 25 % Writing contents.ndjson: 4,000 records, 2,000/s, 00:00:06 left\x1b[K',
    '\r\x1b[K'
  ])
})

t.test('no time left is shown while there is nothing to estimate it from', async t => {
  const { written, progress, pass } = shownOn({ isTTY: true, columns: 0 })
  pass(1000)
  progress.update({ ...writing, records: 0, done: 0, total: 10 })
  t.strictSame(written, ['\r[------------------------] 0 % Writing contents.ndjson: 0 records, 0/s\x1b[K'])
})

t.test('a narrow terminal shows what fits', async t => {
  const { written, progress, pass } = shownOn({ isTTY: true, columns: 30 })
  pass(1000)
  progress.update({ ...writing, records: 1, done: 0, total: 0 })
  t.strictSame(written, ['\r[########################] 10\x1b[K'])
})

t.test('elsewhere there is a line every five seconds', async t => {
  const { written, progress, pass } = shownOn({ isTTY: false, columns: 0 })
  for (let second = 1; second <= 11; second++) {
    pass(1000)
    progress.update({ ...writing, records: second * 1000, done: second, total: 7200 })
  }
  progress.clear()
  t.strictSame(written, [
    '0 % Writing contents.ndjson: 5,000 records, 1,000/s, 01:59:55 left\n',
    '0 % Writing contents.ndjson: 10,000 records, 1,000/s, 01:59:50 left\n'
  ])
})

t.test('by the clock of the machine nothing is drawn before a tenth of a second, and then it is', async t => {
  const written: string[] = []
  const progress = progressTo({ isTTY: true, columns: 120, write: (text: string) => written.push(text) > 0 })
  progress.update({ ...writing, records: 1, done: 1, total: 10 })
  t.strictSame(written, [])
  await setTimeout(120)
  progress.update({ ...writing, records: 2, done: 2, total: 10 })
  t.match(written, [/Writing contents\.ndjson: 2 records, \d+\/s/])
})

t.test('anything but records is shown with its own unit', async t => {
  const { written, progress, pass } = shownOn({ isTTY: false, columns: 0 })
  pass(5000)
  progress.update({ step: 'choose', file: 'the model', records: 10, unit: 'trials', done: 10, total: 20 })
  t.strictSame(written, ['50 % Choosing the model: 10 trials, 2/s, 00:00:05 left\n'])
})
