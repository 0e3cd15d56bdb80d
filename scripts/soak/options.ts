import { parseArgs } from 'node:util'
import { readersOf, sizeOptions } from '../command-line.js'

const usage = `Usage: npm run soak -- [SCENARIO...] [options]
  SCENARIO        one or more scenarios (all)
  --minutes N     duration of the mixed load (30); the overload lasts a tenth of it
  --kills N       kills of the primary, and of the service (20)
  --requests N    requests during the rolling restart (50000)
  --election N    seconds after which the replica set elects another primary (10)
  --viewers N     concurrent callers (32)
  --pause N       milliseconds between a response and the caller's next request (5)
  --contents N    items in the catalogue (2000)
  --built DIR     folder of the built service (dist)
  --brief         as npm test and CI run it: skips what takes a minute or more, and tolerates
                  a machine that runs other tests at the same time`

const usual = { minutes: '30', kills: '20', requests: '50000', election: '10', viewers: '32', pause: '5', contents: '2000' }
type Size = keyof typeof usual

const { positive, some } = readersOf(usage)

/** Reads the options of the command line. */
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
