import { fork } from 'node:child_process'
import { join } from 'node:path'
import { ask } from '../../ask.js'
import type { Counts } from '../counts.js'

export type Order = { port: number; atOnce: number; attack: string } | 'stop'

/** Attacks from a separate process, so that measurements in this process are not delayed by the attack itself. */
export const startAttacker = (port: number, atOnce: number) => {
  const child = fork(join(import.meta.dirname, 'attacker-process.ts'), { execArgv: ['--import', 'tsx'] })
  const order = (order: Order) => ask(child, order)
  return {
    begin: (attack: string) => order({ port, atOnce, attack }),
    stop: (): Promise<Counts> => order('stop'),
    end: () => child.kill()
  }
}
