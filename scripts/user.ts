import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { PasswordChange } from '../schemas/identity.js'
import { CommandSettings, Settings, settingsOrExit } from '../src/config.js'
import { ensureCollections } from '../src/database/collections.js'
import { connectionTo } from '../src/database/connection.js'
import { type Data, dataOf } from '../src/database/data.js'
import { isDuplicate } from '../src/database/faults.js'
import { hashPassword } from '../src/identity/passwords.js'
import type { UserDocument } from '../src/identity/users.js'
import { type End, Refusal } from '../src/privacy/audit.js'
import { beginErasure, removeUser } from '../src/privacy/erase.js'
import { exportOf } from '../src/privacy/export.js'
import { inputAjv, rule } from '../src/validators.js'
import { endWithReader, messageOf, operator, orFail } from './command-line.js'
import { writePrivateFile } from './output.js'
import { readArguments } from './user/arguments.js'

/** Prompts without echoing the input. Piped input is used as it is, without its last line break. */
const askPassword = async () => {
  const password = process.stdin.isTTY ? await askHidden('Password: ') : (await text(process.stdin)).replace(/\r?\n$/, '')
  const { new_password: wanted } = PasswordChange.properties
  if (!inputAjv.validate(wanted, password)) throw new Refusal(`The password must be ${rule(wanted)}`)
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
  if (!user) throw new Refusal(`There is no user ${who}`)
  return user
}

const print = ({ _id, email, name, sub, account_id, disabled_at }: UserDocument) =>
  console.log(JSON.stringify({ id: _id, email, name, sub, account_id, disabled: disabled_at !== null }))

const isConfirmed = async ({ _id, email, sub, name }: UserDocument) => {
  if (!process.stdin.isTTY) throw new Refusal('Without a terminal to ask on, erase needs --yes')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`Erase user ${_id} (${email ?? sub ?? name}) and everything that is stored about them? Type yes: `)
    return answer.trim().toLowerCase() === 'yes'
  } finally {
    lines.close()
  }
}

const eraseUser = async (data: Data, user: UserDocument, yes: boolean) => {
  if (!yes && !(await isConfirmed(user))) throw new Refusal('Nothing was erased')
  try {
    await beginErasure(data, user._id)
    await removeUser(data, user._id)
  } catch (error) {
    throw new Error(`${messageOf(error)}\nRun the command again to complete the erasure.`)
  }
}

async function* linesOf(data: Data, user: UserDocument) {
  yield* exportOf(data, user, read => read())
  yield '\n'
}

/** Writes what is stored about a user into a file. */
const exportUser = (data: Data, user: UserDocument, path: string) => writePrivateFile(path, linesOf(data, user))

/** This command makes no logins or reports. ACCESS_TOKEN_TTL matters for tokens whose session no longer exists. */
const unusedSettings = {
  COMPLETED_AT: 0,
  ACCESS_TOKEN_TTL: Settings.properties.ACCESS_TOKEN_TTL.default,
  LOGIN_LIMIT: 0,
  REFRESH_TOKEN_TTL: 0,
  REFRESH_GRACE: 0
}

const run = async () => {
  const { action, given, who, name, out, yes } = readArguments(process.argv.slice(2))
  const settings = settingsOrExit(CommandSettings)
  const { client, db } = connectionTo(settings.MONGO_URL, { serverSelectionTimeoutMS: 5000, socketTimeoutMS: 30_000 })
  const data = dataOf(db, { ...unusedSettings, ...settings })
  const { users, sessions } = data

  const act = async (user: UserDocument | null, end: End) => {
    if (action === 'add') {
      const password = await askPassword()
      await ensureCollections(db)
      const added = await users.add({ email: given, name, password_hash: await hashPassword(password) })
      end.subject = added._id
      console.log(JSON.stringify({ id: added._id, email: added.email }))
    } else if (action === 'enable') {
      print(known(await users.enable(who), given))
    } else if (action === 'export') {
      await ensureCollections(db)
      await exportUser(data, known(user, given), out)
    } else if (action === 'erase') {
      await ensureCollections(db)
      await eraseUser(data, known(user, given), yes)
      console.log(JSON.stringify({ id: who, erased: true }))
    } else {
      const change = action === 'disable' ? users.disable(who) : users.setPassword(given, await hashPassword(await askPassword()))
      const changed = known(await change, given)
      await sessions.endAll(changed._id)
      print(changed)
    }
  }

  try {
    if (action === 'list') {
      for await (const user of users.all()) print(user)
      return
    }
    const user = await (typeof who === 'number' ? users.byId(who) : users.byEmail(who))
    const subject = typeof who === 'number' ? who : (user?._id ?? null)
    await data.audit.during(operator(), [{ action: `user ${action}`, subject }], end =>
      act(user, end).catch(error => {
        throw isDuplicate(error) ? new Refusal(`There is already a user ${given}`) : error
      })
    )
  } finally {
    await client.close()
  }
}

endWithReader()
await orFail(run)
