import { parseArgs } from 'node:util'
import { readersOf } from './command-line.js'
import type { Check } from './deploy/check.js'
import { kubernetes } from './deploy/kubernetes.js'
import { prometheus } from './deploy/prometheus.js'
import { proxies } from './deploy/proxies.js'
import { messageOf } from './failures.js'
import { allKept, type Finding, lineOf } from './soak/promises.js'

const checks: Record<string, Check> = { kubernetes, prometheus, ...proxies }

const names = Object.keys(checks)
const { some } = readersOf(`Usage: npm run deploy:check -- [CHECK...]
  CHECK  one or more of ${names.join(', ')} (all)`)
const say = (line: string) => process.stderr.write(`${line}\n`)

// Child processes are killed on exit.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** Tests the files of deploy/ with the programs that read them. */
try {
  const { positionals } = parseArgs({ allowPositionals: true })
  const findings: Finding[] = []
  for (const name of some('check', names, positionals)) {
    const found = await (checks[name] as Check)(say)
    console.log([name, ...found.map(finding => `  ${lineOf(finding)}`)].join('\n'))
    findings.push(...found)
  }
  process.exitCode = allKept(findings) ? 0 : 1
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
