import { parseArgs } from 'node:util'

const usage = `Usage: npm run bench -- [NAME...] [options]
  NAME                one or more of the scenarios; all without any
  --rounds N          measured rounds of each scenario (9)
  --seconds N         length of a round for each server (1)
  --connections N     callers at once (32)
  --requests N        sequential requests for each page time (200)
  --users N           users with a history of 200 (200)
  --contents N        contents of the catalogue (5000)
  --catalogues N,N    catalogue sizes that are compared, the smallest first (1000,10000,100000)
  --histories N,N     history sizes that are compared, the smallest first (100,1000,10000)
  --seed N            of the data (1)
  --json FILE         the results as JSON`

const whole = (name: string, text: string) => {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} must be a whole number above 0\n${usage}`)
  return Number(text)
}

/** What the command line asks for. */
export const readSizes = (names: readonly string[]) => {
  const option = (fallback: string) => ({ type: 'string', default: fallback }) as const
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: option('9'),
      seconds: option('1'),
      connections: option('32'),
      requests: option('200'),
      users: option('200'),
      contents: option('5000'),
      catalogues: option('1000,10000,100000'),
      histories: option('100,1000,10000'),
      seed: option('1'),
      json: option('')
    }
  })
  const unknown = positionals.find(name => !names.includes(name))
  if (unknown) throw new Error(`There is no scenario ${unknown}; there are: ${names.join(', ')}\n${usage}`)
  const { json, catalogues, histories, ...numbers } = values
  const read = <K extends string>(given: Record<K, string>) =>
    Object.fromEntries(Object.entries<string>(given).map(([name, text]) => [name, whole(name, text)])) as Record<K, number>
  return {
    ...read(numbers),
    catalogues: catalogues.split(',').map(text => whole('catalogues', text)),
    histories: histories.split(',').map(text => whole('histories', text)),
    json,
    names: positionals.length > 0 ? positionals : [...names]
  }
}
export type Sizes = ReturnType<typeof readSizes>
