import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Statuses } from '../load/attacks.js'

export type Order = { port: number; atOnce: number; attack: string } | 'stop'

/** Attacks from a process of its own, so that what a viewer waits for here is the service alone. */
export const startAttacker = (port: number, atOnce: number) => {
  const child = fork(join(import.meta.dirname, 'attacker-process.ts'), { execArgv: ['--import', 'tsx'] })
  const told = async (order: Order) => {
    child.send(order)
    const [answer] = await once(child, 'message')
    return answer
  }
  return {
    begin: (attack: string) => told({ port, atOnce, attack }),
    stop: (): Promise<Statuses> => told('stop'),
    end: () => child.kill()
  }
}
