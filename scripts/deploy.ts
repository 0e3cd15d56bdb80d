import { orFail, readersOf, say } from './command-line.js'
import { kubernetes, prometheus } from './deploy/manifests.js'
import { proxyCheck } from './deploy/proxies.js'
import { haproxy, nginx } from './deploy/proxy.js'
import { exitOnSignal } from './processes.js'
import { allKept, type Finding, sectionOf } from './soak/findings.js'

const checks: Record<string, () => Promise<Finding[]>> = {
  kubernetes,
  prometheus,
  nginx: () => proxyCheck(nginx),
  haproxy: () => proxyCheck(haproxy)
}
const names = Object.keys(checks)
const { some } = readersOf(`Usage: npm run deploy:check -- [CHECK...]
  CHECK  one or more of ${names.join(', ')} (all)`)

exitOnSignal()

/** Tests the files of deploy/ with the programs that read them. A missing program fails only its own check. */
await orFail(async () => {
  for (const name of some('check', names, process.argv.slice(2))) {
    say(`checking ${name}`)
    await orFail(async () => {
      const findings = await (checks[name] as (typeof checks)[string])()
      console.log(sectionOf(name, findings))
      if (!allKept(findings)) process.exitCode = 1
    })
  }
})
