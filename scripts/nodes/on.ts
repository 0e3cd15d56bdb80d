import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { fetchNode } from './fetch.js'

/** Runs `node` with these arguments, and the processes that it starts as `node`, on a version of Node.js. Resolves with its exit status. */
export const runOn = async (version: string, args: string[]) => {
  const bin = await fetchNode(version, console.log)
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
  const [status] = await once(spawn(join(bin, 'node'), args, { stdio: 'inherit', env }), 'exit')
  return (status as number | null) ?? 1
}
