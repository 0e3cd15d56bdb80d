import type { Data } from '../../src/data/index.js'
import type { UserDocument } from '../../src/data/users.js'
import { exportOf } from '../../src/privacy/export.js'
import { Output } from '../recommend/output.js'

/** The file is personal. */
const readableByOwner = 0o600

/** Writes what is stored about a user into a file, which appears when it is complete. */
export const exportUser = async (data: Data, user: UserDocument, path: string) => {
  const output = await Output.at(path, { mode: readableByOwner })
  try {
    await output.begin()
    for await (const piece of exportOf(data, user, read => read())) await output.write(piece)
    await output.write('\n')
    await output.end()
  } catch (error) {
    await output.remove()
    throw error
  }
}
