import { parseArgs } from 'node:util'
import { readersOf, sizeOptions } from '../command-line.js'

const usage = `Usage: npm run soak -- [SCENARIO...] [options]
  SCENARIO        one or more of the scenarios; all without any
  --minutes N     length of the mixed load, and of what is past the limit a tenth of it (30)
  --kills N       deaths of the primary, and of the service (20)
  --requests N    requests during the rolling restart (50000)
  --election N    seconds without a primary after which the replica set chooses another (10)
  --viewers N     callers at once (32)
  --pause N       milliseconds between an answer and the caller's next request (5)
  --contents N    contents of the catalogue (2000)
  --built DIR     where the service was built (dist)
  --brief         as npm test has it: leaves out what takes a minute and more, and is patient
                  with a machine that has other tests to run`

const usual = { minutes: '30', kills: '20', requests: '50000', election: '10', viewers: '32', pause: '5', contents: '2000' }
type Size = keyof typeof usual

const { positive, some } = readersOf(usage)

/** What the command line asks for. */
export const readOptions = (scenarios: readonly string[], args = process.argv.slice(2)) => {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...sizeOptions(usual), built: { type: 'string', default: 'dist' }, brief: { type: 'boolean', default: false } }
  })
  const size = (name: Size) => positive(name, values[name])
  return {
    minutes: size('minutes'),
    kills: size('kills'),
    requests: size('requests'),
    election: size('election'),
    viewers: size('viewers'),
    pause: size('pause'),
    contents: size('contents'),
    built: values.built,
    brief: values.brief,
    scenarios: some('scenario', scenarios, positionals)
  }
}
export type Options = ReturnType<typeof readOptions>
