import { forkModule } from '../../process/fork-module.js'
import type { InterestSettings } from '../interest.js'
import type { Trained, TrainingProgress } from './training.js'

/** Only the holder of this lease may train. */
export const trainingLease = 'training'

/** The message that starts a training. */
export interface TrainingOrder {
  url: string
  interest: InterestSettings
  memoryMb: number
  /** The holder of the lease under which it runs. */
  holder?: string
}

/** A message from a training. */
export interface TrainingReport {
  progress?: TrainingProgress
  trained?: Trained
  failed?: string
}

interface Options extends TrainingOrder {
  signal: AbortSignal
  onProgress?: (progress: TrainingProgress) => void
}

/**
 * Trains in a process of its own, so that running out of memory ends only the training, and its garbage collection does not delay requests.
 */
export const trainInChildProcess = ({ signal, onProgress, ...order }: Options) =>
  new Promise<Trained>((resolve, reject) => {
    if (signal.aborted) throw new Error('The training was stopped')
    const child = forkModule('training-child', { from: import.meta.url, heapLimitMb: order.memoryMb })
    const stop = () => void child.kill('SIGKILL')
    signal.addEventListener('abort', stop)
    child.on('message', ({ progress, trained, failed }: TrainingReport) => {
      if (progress) onProgress?.(progress)
      if (trained) resolve(trained)
      if (failed) reject(new Error(failed))
    })
    child.on('error', reject)
    child.on('exit', (code, by) => {
      signal.removeEventListener('abort', stop)
      const how = signal.aborted
        ? 'was stopped'
        : `ended with ${by ?? `status ${code}`}, perhaps because it ran out of memory (TRAIN_MEMORY_MB)`
      reject(new Error(`The training ${how}`))
    })
    child.send(order satisfies TrainingOrder)
  })
