// Runs in a separate process, started by start.ts, and ends mongod when the process that started it has ended.
// The pipe on stdin closes at that moment, even after kill -9, so no process id needs to be polled.
import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const [mongod, temporary] = process.argv.slice(2)

const signal = number => {
  try {
    return process.kill(Number(mongod), number)
  } catch {
    return false
  }
}

process.stdin.resume().on('error', () => {})
process.stdin.on('close', async () => {
  signal('SIGTERM')
  for (let tries = 300; tries > 0 && signal(0); tries--) await setTimeout(100)
  signal('SIGKILL')
  if (temporary) rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
})
