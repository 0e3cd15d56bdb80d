import { execFileSync, spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const move = (processors: string, pids: number[]) => {
  for (const pid of pids) execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', processors, String(pid)], { stdio: 'ignore' })
}

/**
 * Gives one process a processor to itself during the measurement, and the rest to the others. If there is only one processor, or no
 * `taskset` (util-linux), it measures without.
 */
export const onProcessorOfItsOwn = async <T>(pid: number, others: number[], measure: () => Promise<T>): Promise<T> => {
  const last = availableParallelism() - 1
  if (last < 1 || spawnSync('taskset', ['--version']).status !== 0) return measure()
  move('0', [pid])
  move(`1-${last}`, others)
  try {
    return await measure()
  } finally {
    move(`0-${last}`, [pid, ...others])
  }
}
