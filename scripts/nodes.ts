import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { fetchNode } from './nodes/fetch.js'

/** Each that has long-term support, or will have it, and is not older than package.json allows. */
const supported = ['20', '22', '24', '26']

const given = process.argv.slice(2)
const isVersion = (argument: string) => /^\d+(\.\d+)*$/.test(argument)
const versions = given.some(isVersion) ? given.filter(isVersion) : supported

/** Runs the test suite with the Node.js in a folder, which also is that of whatever the tests start by name. */
const test = async (bin: string) => {
  const suite = ['--import', 'tsx', join(import.meta.dirname, 'test.ts'), ...given.filter(argument => !isVersion(argument))]
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
  const [status] = await once(spawn(join(bin, 'node'), suite, { stdio: 'inherit', env }), 'exit')
  return status === 0
}

const verdicts: string[] = []
for (const version of versions) {
  const began = performance.now()
  try {
    const passed = await test(await fetchNode(version, console.log))
    verdicts.push(`Node.js ${version} ${passed ? 'passed' : 'FAILED'} in ${Math.round((performance.now() - began) / 1000)} s`)
    if (!passed) process.exitCode = 1
  } catch (error) {
    verdicts.push((error as Error).message)
    process.exitCode = 1
  }
}
console.log(verdicts.join('\n'))
