import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { InterestSettings } from '../serving/interest.js'
import type { Trained, TrainingProgress } from './training.js'

/** What a training is told by the process that starts it. */
export interface TrainingOrder {
  url: string
  interest: InterestSettings
  memoryMb: number
}

/** What it tells that process. */
export interface TrainingNews {
  progress?: TrainingProgress
  trained?: Trained
  failed?: string
}

interface Options extends TrainingOrder {
  signal: AbortSignal
  onProgress?: (progress: TrainingProgress) => void
}

/**
 * Trains in a process of its own, not in a thread: what it takes of memory, beside the heap too, and its end when there
 * is no more of it are its own affair, and the requests of this process never wait for its garbage.
 */
export const trainApart = ({ signal, onProgress, ...order }: Options) =>
  new Promise<Trained>((resolve, reject) => {
    if (signal.aborted) throw new Error('The training was stopped')
    const file = new URL(`./training-child${import.meta.url.slice(-3)}`, import.meta.url)
    const child = fork(fileURLToPath(file), {
      execArgv: [...process.execArgv, `--max-old-space-size=${order.memoryMb}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc']
    })
    const stop = () => void child.kill('SIGKILL')
    signal.addEventListener('abort', stop)
    child.on('message', ({ progress, trained, failed }: TrainingNews) => {
      if (progress) onProgress?.(progress)
      if (trained) resolve(trained)
      if (failed) reject(new Error(failed))
    })
    child.on('error', reject)
    child.on('exit', (code, by) => {
      signal.removeEventListener('abort', stop)
      const how = signal.aborted ? 'was stopped' : `ended with ${by ?? `status ${code}`}, perhaps for want of memory (TRAIN_MEMORY_MB)`
      reject(new Error(`The training ${how}`))
    })
    child.send(order satisfies TrainingOrder)
  })
