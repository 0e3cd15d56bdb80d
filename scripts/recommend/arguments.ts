import { parseArgs } from 'node:util'

export const usage = `Usage: npm run recommend -- --events FILE --out FILE [--k 20]
       npm run recommend -- --events FILE --evaluate [--k 20]
  --events FILE  lines of a user, a tab and an item, the oldest first within a user
  --out FILE     gets a line for each user: the user, a tab and the best unseen items with commas between, the best first
  --k NUMBER     how many items a user gets (20)
  --evaluate     holds out a part and prints how well it is found again, instead of writing lines`

/** A sentence for the caller. */
export class Refusal extends Error {}

export interface Arguments {
  events: string
  k: number
  /** Without it, the model is evaluated. */
  out: string | undefined
}

const given = (args: string[]) => {
  try {
    const options = {
      events: { type: 'string' },
      k: { type: 'string', default: '20' },
      out: { type: 'string' },
      evaluate: { type: 'boolean', default: false }
    } as const
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n${usage}`)
  }
}

export const readArguments = (args: string[]): Arguments => {
  const { events, k, out, evaluate } = given(args)
  if (!events) throw new Refusal(`--events FILE is missing\n${usage}`)
  if (!/^0*[1-9]\d{0,5}$/.test(k)) throw new Refusal(`--k must be a number from 1 to 999999, and ${JSON.stringify(k)} is none\n${usage}`)
  if (evaluate && out !== undefined) throw new Refusal(`--evaluate writes no lines: leave --out away\n${usage}`)
  if (!evaluate && !out) throw new Refusal(`--out FILE is missing\n${usage}`)
  return { events, k: Number(k), out }
}
