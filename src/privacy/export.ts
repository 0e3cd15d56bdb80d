import type { ExportedUser } from '../../schemas/export.js'
import type { Data } from '../data/index.js'
import type { ListElement } from '../data/lists.js'
import type { ViewerList } from '../data/removals.js'
import { toSession } from '../data/session-document.js'
import type { UserDocument } from '../data/users.js'
import { eachList } from '../data/viewer-lists.js'
import { timestamp } from '../time.js'

/** Fields of a user that are not exported: secrets, and what only this installation needs. */
type LeftOut =
  | 'email_key'
  | 'password_hash'
  | 'password_changed_at'
  | 'iss'
  | 'tokens_after'
  | 'place'
  | 'old_limit_until'
  | 'session_epoch'
  | 'kept_session'
  | 'pin_hash'
  | 'disabled_at'

/** JSON has no undefined fields. */
type UserRecord = { [Field in keyof ExportedUser]: ExportedUser[Field] | undefined }
/** A new field of a user is a compiler error until it is exported or left out. */
type ExportedFields = Record<'id' | Exclude<keyof UserDocument, '_id' | LeftOut>, unknown>

const userRecord = ({ _id, email, name, sub, account_id, max_age, created_at, updated_at }: UserDocument): UserRecord =>
  ({
    id: _id,
    email,
    name,
    sub,
    account_id,
    max_age: max_age ?? undefined,
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at)
  }) satisfies ExportedFields

/** Runs one read of the database. */
type Read = <T>(read: () => Promise<T>) => Promise<T>

async function* portionsOf({ personal }: Data, name: ViewerList, user_ids: number[], read: Read) {
  for (const user_id of user_ids) {
    const portions = personal.portions<ListElement>(name, user_id)
    for (;;) {
      const { value, done } = await read(() => portions.next())
      if (done) break
      yield value
    }
  }
}

/** What is stored about a user and their profiles, as JSON in pieces. docs/privacy.md says what is left out. */
export async function* exportOf(data: Data, user: UserDocument, read: Read): AsyncGenerator<string> {
  // Those that an erasure would remove, so disabled ones as well.
  const others = await read(async () => Promise.all((await data.profiles.othersOf(user._id)).map(data.users.byId)))
  const users = [user, ...others.filter(other => other !== null).sort((a, b) => a._id - b._id)]
  yield `{"users":${JSON.stringify(users.map(userRecord))}`
  const user_ids = users.map(({ _id }) => _id)
  for (const [name, { isServable, toExported }] of eachList) {
    yield `,"${name}":[`
    let separator = ''
    for await (const portion of portionsOf(data, name, user_ids, read)) {
      const records = portion.filter(isServable).map(element => JSON.stringify(toExported(element)))
      if (records.length === 0) continue
      yield separator + records.join(',')
      separator = ','
    }
    yield ']'
  }
  const sessions = await read(() => data.sessions.list(user._id))
  yield `,"sessions":${JSON.stringify(sessions.map(toSession))},"exported_at":"${timestamp(new Date())}"}`
}
