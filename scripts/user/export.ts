import type { Data } from '../../src/data/index.js'
import type { UserDocument } from '../../src/data/users.js'
import { exportOf } from '../../src/privacy/export.js'
import { writePrivateFile } from '../private-file.js'

async function* linesOf(data: Data, user: UserDocument) {
  yield* exportOf(data, user, read => read())
  yield '\n'
}

/** Writes what is stored about a user into a file. */
export const exportUser = (data: Data, user: UserDocument, path: string) => writePrivateFile(path, linesOf(data, user))
