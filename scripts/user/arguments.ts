import { emailPattern } from '../../schemas/import.js'
import { integerId } from '../../src/http/requests.js'
import { Refusal } from '../../src/privacy/audit.js'
import { invocationOf, readersOf } from '../command-line.js'

const usage = `Usage: ${invocationOf('user')} ACTION
  add EMAIL [--name NAME]   prompts for the password, or reads it from standard input
  list
  password EMAIL
  disable EMAIL|ID          ID is for users of an identity provider, who may have no e-mail
  enable EMAIL|ID
  export ID --out FILE      writes what is stored about the user
  erase ID [--yes]          removes the user and everything that is stored about them`

const identities = { email: 'an e-mail address', either: 'an e-mail address or an id', id: 'an id', nobody: '' }

/** How each action identifies a user. */
const actions = {
  add: 'email',
  list: 'nobody',
  password: 'email',
  disable: 'either',
  enable: 'either',
  export: 'id',
  erase: 'id'
} satisfies Record<string, keyof typeof identities>
type Action = keyof typeof actions

const isAction = (action: string): action is Action => Object.hasOwn(actions, action)

const userOf = (action: Action, who: string) => {
  const takes = actions[action]
  if (takes === 'nobody') return ''
  if (takes !== 'id' && new RegExp(emailPattern).test(who)) return who
  const id = takes === 'email' ? undefined : integerId(who)
  if (id !== undefined) return id
  throw new Refusal(`${who === '' ? 'Missing:' : `${who} is not`} ${identities[takes]}\n${usage}`)
}

const options = {
  name: { type: 'string', default: '' },
  out: { type: 'string', default: '' },
  yes: { type: 'boolean', default: false }
} as const

export const readArguments = (args: string[]) => {
  const { positionals, values } = readersOf(usage).parsed({ args, allowPositionals: true, options })
  const [action = '', given = ''] = positionals
  if (!isAction(action)) throw new Refusal(usage)
  const who = userOf(action, given)
  if (action === 'export' && values.out === '') throw new Refusal(`--out FILE is missing\n${usage}`)
  return { action, given, who, ...values }
}
