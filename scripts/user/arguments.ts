import { parseArgs } from 'node:util'
import { emailPattern } from '../../schemas/import.js'
import { integerId } from '../../src/http/ids.js'
import { invocationOf } from '../invocation.js'

const usage = `Usage: ${invocationOf('user')} ACTION
  add EMAIL [--name NAME]   prompts for the password, or reads it from standard input
  list
  password EMAIL
  disable EMAIL|ID          ID is for users of an identity provider, who may have no e-mail
  enable EMAIL|ID`

export class CommandError extends Error {}

/** The e-mail or id of the user. */
const userOf = (action: string, who: string) => {
  if (new RegExp(emailPattern).test(who)) return who
  const takesId = action === 'disable' || action === 'enable'
  const id = takesId ? integerId(who) : undefined
  if (id !== undefined) return id
  throw new CommandError(`${who || 'Nothing'} is not an e-mail address${takesId ? ' or an id' : ''}\n${usage}`)
}

export const readArguments = (args: string[]) => {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { name: { type: 'string', default: '' } } })
  const [action = '', given = ''] = positionals
  if (!['add', 'list', 'password', 'disable', 'enable'].includes(action)) throw new CommandError(usage)
  return { action, given, who: action === 'list' ? '' : userOf(action, given), name: values.name }
}
