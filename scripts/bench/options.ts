import { parseArgs } from 'node:util'
import { readersOf, sizeOptions } from '../command-line.js'

const usage = `Usage: npm run bench -- [NAME...] [options]
  NAME                one or more of the parts; all without any
  --rounds N          measured rounds of each scenario (9)
  --seconds N         length of a round for each server (1)
  --connections N     callers at once (32)
  --requests N        sequential requests for each page time (200)
  --users N           users with a history of 200 (2000)
  --contents N        contents of the catalogue (5000)
  --histories N,N     history sizes that are compared, the smallest first (100,1000,10000)
  --catalogues N,N    catalogue sizes that are compared, the smallest first (1000,10000,100000)
  --populations N,N   numbers of users that are compared, the smallest first (100,1000,10000,100000)
  --full              1,000,000 users too: some minutes more, and 1.5 GB of disk
  --limit-rounds N    rounds at and past the limit (3)
  --limit-seconds N   length of each of their three parts (10)
  --seed N            of the data (1)
  --json FILE         the results as JSON
  --write             docs/performance.md and its pictures too, which a run of all parts
                      in their usual sizes writes anyway`

const { positive, whole, some } = readersOf(usage)
const list = (name: string, text: string) => text.split(',').map(part => whole(name, part))

const usual = {
  rounds: '9',
  seconds: '1',
  connections: '32',
  requests: '200',
  users: '2000',
  contents: '5000',
  histories: '100,1000,10000',
  catalogues: '1000,10000,100000',
  populations: '100,1000,10000,100000',
  'limit-rounds': '3',
  'limit-seconds': '10',
  seed: '1'
}
type Size = keyof typeof usual

/** What the command line asks for. */
export const readOptions = (parts: readonly string[], args = process.argv.slice(2)) => {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...sizeOptions(usual), full: { type: 'boolean' }, json: { type: 'string', default: '' }, write: { type: 'boolean' } }
  })
  const isUsual = positionals.length === 0 && Object.entries(usual).every(([name, value]) => values[name as Size] === value)
  const number = (name: Size) => whole(name, values[name])
  const populations = list('populations', values.populations)
  return {
    rounds: number('rounds'),
    seconds: positive('seconds', values.seconds),
    connections: number('connections'),
    requests: number('requests'),
    users: number('users'),
    contents: number('contents'),
    histories: list('histories', values.histories),
    catalogues: list('catalogues', values.catalogues),
    populations: values.full ? [...populations, 1_000_000] : populations,
    limitRounds: number('limit-rounds'),
    limitSeconds: positive('limit-seconds', values['limit-seconds']),
    seed: number('seed'),
    json: values.json,
    write: values.write ?? isUsual,
    parts: some('part', parts, positionals)
  }
}
export type Options = ReturnType<typeof readOptions>
