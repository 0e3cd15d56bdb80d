import { parseArgs } from 'node:util'
import type { HoldOutKind } from '../../src/recommendations/model/index.js'
import { invocationOf } from '../invocation.js'

const command = invocationOf('recommend')

export const usage = `Usage: ${command} --events FILE --out FILE [--k 20] [--unordered]
       ${command} --events FILE --evaluate [--k 20] [--unordered]
  --events FILE  one line per event: user, tab, item, the oldest first within a user
  --out FILE     is written with one line per user: user, tab, the best unseen items separated by commas, best first
  --k NUMBER     items per user (20)
  --evaluate     hold out the last item of each user and print how well the model predicts it, without writing a file
  --unordered    the order of the lines means nothing: a random part is held out, and no order is used`

/** An error whose message is shown to the caller as it is. */
export class Refusal extends Error {}

export interface Arguments {
  events: string
  k: number
  /** Without it, the model is evaluated. */
  out: string | undefined
  /** What settings are chosen for, and what is evaluated. */
  holdOut: HoldOutKind
}

const given = (args: string[]) => {
  try {
    const options = {
      events: { type: 'string' },
      k: { type: 'string', default: '20' },
      out: { type: 'string' },
      evaluate: { type: 'boolean', default: false },
      unordered: { type: 'boolean', default: false }
    } as const
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n${usage}`)
  }
}

export const readArguments = (args: string[]): Arguments => {
  const { events, k, out, evaluate, unordered } = given(args)
  if (!events) throw new Refusal(`--events FILE is missing\n${usage}`)
  if (!/^0*[1-9]\d{0,5}$/.test(k)) throw new Refusal(`--k must be a number from 1 to 999999, not ${JSON.stringify(k)}\n${usage}`)
  if (evaluate && out !== undefined) throw new Refusal(`--evaluate writes no file: remove --out\n${usage}`)
  if (!evaluate && !out) throw new Refusal(`--out FILE is missing\n${usage}`)
  return { events, k: Number(k), out, holdOut: unordered ? 'random' : 'newest' }
}
