import { allKept, type Finding, lineOf } from './promises.js'
import { type Scenario, type Setting, Stage } from './scenario.js'
import { attacks } from './scenarios/attacks.js'
import { kill } from './scenarios/kill.js'
import { logins } from './scenarios/logins.js'
import { mixed } from './scenarios/mixed.js'
import { overload } from './scenarios/overload.js'
import { primary } from './scenarios/primary.js'
import { rolling } from './scenarios/rolling.js'
import { slow } from './scenarios/slow.js'

const scenarios: Record<string, Scenario> = { mixed, primary, kill, rolling, overload, slow, logins, attacks }
export const scenarioNames = Object.keys(scenarios)

/** Runs the requested scenarios in order. Resolves with whether every promise was kept. */
export const soak = async (setting: Setting) => {
  const verdict: string[] = []
  const all: Finding[] = []
  for (const name of setting.options.scenarios) {
    const stage = new Stage(setting)
    try {
      const findings = await (scenarios[name] as Scenario)(setting, stage)
      all.push(...findings)
      verdict.push(name, ...findings.map(finding => `  ${lineOf(finding)}`))
    } finally {
      await stage.clear()
    }
  }
  console.log(verdict.join('\n'))
  return allKept(all)
}
