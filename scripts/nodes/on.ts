import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { fetchNode } from './fetch.js'

/** Runs a script, and the processes that it starts as `node`, on a version of Node.js. Resolves with the exit status of the script. */
export const runOn = async (version: string, script: string, args: string[]) => {
  const bin = await fetchNode(version, console.log)
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
  const [status] = await once(spawn(join(bin, 'node'), ['--import', 'tsx', script, ...args], { stdio: 'inherit', env }), 'exit')
  return (status as number | null) ?? 1
}
