import { readersOf, sizeOptions } from '../command-line.js'
import { scenarios } from './scenarios.js'

export const parts = Object.keys(scenarios)

const usage = `Usage: npm run bench -- [PART...] [options]
  PART             one or more parts (all)
  --rounds N       measured rounds (9)
  --seconds N      duration of a round of each contestant (1)
  --connections N  concurrent callers (32)
  --users N        users with a history of 200 (2000)
  --contents N     items in the catalogue (5000)`

const usual = { rounds: '9', seconds: '1', connections: '32', users: '2000', contents: '5000' }
const { parsed, positive, whole, some } = readersOf(usage)

export const readOptions = (args = process.argv.slice(2)) => {
  const { positionals, values } = parsed({ args, allowPositionals: true, options: sizeOptions(usual) })
  return {
    rounds: whole('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    connections: whole('connections', values.connections),
    users: whole('users', values.users),
    contents: whole('contents', values.contents),
    parts: some('part', parts, positionals)
  }
}
export type Options = ReturnType<typeof readOptions>
