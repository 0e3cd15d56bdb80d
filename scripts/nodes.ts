import { join } from 'node:path'
import { runOn } from './nodes/on.js'

/** All versions that package.json allows and that have, or will have, long-term support. */
const supported = ['20', '22', '24', '26']

const given = process.argv.slice(2)
const isVersion = (argument: string) => /^\d+(\.\d+)*$/.test(argument)
const versions = given.some(isVersion) ? given.filter(isVersion) : supported
const args = given.filter(argument => !isVersion(argument))

const tap = join(import.meta.dirname, '../node_modules/tap/dist/esm/run.mjs')
const verdicts: string[] = []
for (const version of versions) {
  const began = performance.now()
  try {
    const passed = (await runOn(version, [tap, ...args])) === 0
    verdicts.push(`Node.js ${version} ${passed ? 'passed' : 'FAILED'} in ${Math.round((performance.now() - began) / 1000)} s`)
    if (!passed) process.exitCode = 1
  } catch (error) {
    verdicts.push((error as Error).message)
    process.exitCode = 1
  }
}
console.log(verdicts.join('\n'))
