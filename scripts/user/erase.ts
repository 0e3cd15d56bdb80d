import { createInterface } from 'node:readline/promises'
import type { Data } from '../../src/data/index.js'
import type { UserDocument } from '../../src/data/users.js'
import { beginErasure, removeUser } from '../../src/privacy/erase.js'
import { messageOf } from '../failures.js'
import { CommandError } from './arguments.js'

const isConfirmed = async ({ _id, email, sub, name }: UserDocument) => {
  if (!process.stdin.isTTY) throw new CommandError('Without a terminal to ask on, erase needs --yes')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`Erase user ${_id} (${email ?? sub ?? name}) and everything that is stored about them? Type yes: `)
    return answer.trim().toLowerCase() === 'yes'
  } finally {
    lines.close()
  }
}

export const eraseUser = async (data: Data, user: UserDocument, yes: boolean) => {
  if (!yes && !(await isConfirmed(user))) throw new CommandError('Nothing was erased')
  try {
    await beginErasure(data, user._id)
    await removeUser(data, user._id)
  } catch (error) {
    throw new CommandError(`${messageOf(error)}\nRun the command again to complete the erasure.`)
  }
}
