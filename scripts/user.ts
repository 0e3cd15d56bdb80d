import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { CommandSettings, settingsOrExit } from '../src/config.js'
import { connectionTo } from '../src/data/driver/connection.js'
import { isDuplicate } from '../src/data/driver/faults.js'
import { ensureIndexes } from '../src/data/index.js'
import { sessionsOf } from '../src/data/sessions.js'
import { type UserDocument, usersOf } from '../src/data/users.js'
import { integerId } from '../src/http/ids.js'
import { hashPassword } from '../src/identity/passwords.js'

const usage = `Usage:
  npm run user -- add EMAIL [--name NAME]   the password is asked for, or read from standard input
  npm run user -- list
  npm run user -- password EMAIL
  npm run user -- disable EMAIL|ID          ID: also a user of an identity provider, who may have no e-mail
  npm run user -- enable EMAIL|ID`

class CommandError extends Error {}

/** Asks without showing what is typed; what is piped in is read as it is, less its last line break. */
const askPassword = async () => {
  const password = process.stdin.isTTY ? await askHidden('Password: ') : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password === '') throw new CommandError('A password must not be empty')
  return password
}

const askHidden = async (question: string) => {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, next) => next() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

const known = (user: UserDocument | null, who: string) => {
  if (!user) throw new CommandError(`There is no user ${who}`)
  return user
}

const print = ({ _id, email, name, sub, disabled_at }: UserDocument) =>
  console.log(JSON.stringify({ id: _id, email, name, sub, disabled: disabled_at !== null }))

/** The e-mail or id of the user whom an action is about. */
const userOf = (action: string, who: string) => {
  if (/^[^\s@]+@[^\s@]+$/.test(who)) return who
  const takesId = action === 'disable' || action === 'enable'
  const id = takesId ? integerId(who) : undefined
  if (id !== undefined) return id
  throw new CommandError(`${who || 'Nothing'} is no e-mail address${takesId ? ' and no id' : ''}\n${usage}`)
}

const run = async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { name: { type: 'string', default: '' } } })
  const [action = '', given = ''] = positionals
  if (!['add', 'list', 'password', 'disable', 'enable'].includes(action)) throw new CommandError(usage)
  const who = action === 'list' ? '' : userOf(action, given)

  const { client, db } = connectionTo(settingsOrExit(CommandSettings).MONGO_URL, { serverSelectionTimeoutMS: 5000 })
  const users = usersOf(db)
  // How long tokens live does not matter here: sessions are only ended.
  const sessions = sessionsOf(db, { life: 0, grace: 0 })
  try {
    if (action === 'list') {
      for await (const user of users.all()) print(user)
    } else if (action === 'add') {
      const password = await askPassword()
      await ensureIndexes(db)
      const user = await users.add({ email: given, name: values.name, password_hash: await hashPassword(password) })
      console.log(JSON.stringify({ id: user._id, email: user.email }))
    } else if (action === 'enable') {
      print(known(await users.enable(who), given))
    } else {
      const change = action === 'disable' ? users.disable(who) : users.setPassword(given, await hashPassword(await askPassword()))
      const user = known(await change, given)
      await sessions.endAll(user._id)
      print(user)
    }
  } catch (error) {
    throw isDuplicate(error) ? new CommandError(`There is a user ${given} already`) : error
  } finally {
    await client.close()
  }
}

try {
  await run()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
