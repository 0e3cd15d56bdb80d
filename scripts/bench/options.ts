import { parseArgs } from 'node:util'
import { readersOf, sizeOptions } from '../command-line.js'

const usage = `Usage: npm run bench -- [NAME...] [options]
  NAME                one or more parts (all)
  --rounds N          measured rounds per scenario (9)
  --seconds N         duration of a round per server (1)
  --connections N     concurrent callers (32)
  --requests N        sequential requests per page time (200)
  --users N           users with a history of 200 (2000)
  --contents N        items in the catalogue (5000)
  --histories N,N     history sizes to compare, smallest first (100,1000,10000)
  --catalogues N,N    catalogue sizes to compare, smallest first (1000,10000,100000)
  --populations N,N   numbers of users to compare, smallest first (100,1000,10000,100000)
  --full              also 1,000,000 users: takes some more minutes and 2 GB of disk
  --limit-rounds N    rounds at and beyond the limit (3)
  --limit-seconds N   duration of each of their three parts (10)
  --seed N            seed of the generated data (1)
  --json FILE         write the results as JSON
  --write             write docs/performance.md and its pictures, which a run of all parts
                      with the default sizes does anyway`

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

/** Reads the options of the command line. */
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
