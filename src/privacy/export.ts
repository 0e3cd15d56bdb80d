import { addAbortSignal, Readable } from 'node:stream'
import type { ExportedUser } from '../../schemas/export.js'
import type { Data } from '../database/data.js'
import { orThrow, tooManyRequests, unauthenticated, unavailable } from '../errors.js'
import { toSession } from '../identity/session-document.js'
import type { UserDocument } from '../identity/users.js'
import { Semaphore } from '../overload/semaphore.js'
import { minutes, timestamp } from '../time.js'
import type { ViewerList } from '../viewing/lists.js'
import { eachList } from '../viewing/viewer-lists.js'

/** An export takes about a megabyte of memory while its caller reads. */
const exportsAtOnce = 16
/** How many exports may read at once. The other connections are for viewers who wait for a response. */
const readsAtOnce = 2
/** How long an export may take if its caller reads slowly. A caller who reads nothing is cut off much sooner, as with any response. */
const longest = minutes(10)

async function* answerOf(data: AsyncGenerator<string>) {
  yield '{"success":true,"data":'
  yield* data
  yield '}'
}

/** The exports of a process: few at once, and one per user. */
export const exportsOf = (data: Data) => {
  const running = new Set<number>()
  const reads = new Semaphore(readsAtOnce)

  const assertRoom = (id: number) => {
    if (running.has(id)) throw tooManyRequests()
    if (running.size >= exportsAtOnce) throw unavailable()
  }
  const userOf = async (id: number) => orThrow(await data.users.byId(id), unauthenticated)

  return {
    /** An empty response to HEAD, or the error that GET would return. Does not start an export. */
    head: async (id: number): Promise<Readable> => {
      await userOf(id)
      assertRoom(id)
      return Readable.from([])
    },

    /** The response as a stream, which reads from the database as fast as its caller reads. */
    begin: async (id: number): Promise<Readable> => {
      const user = await userOf(id)
      assertRoom(id)
      running.add(id)
      const answer = Readable.from(answerOf(exportOf(data, user, read => reads.run(read))))
      return addAbortSignal(AbortSignal.timeout(longest), answer).once('close', () => running.delete(id))
    }
  }
}

/** Fields of a user that are not exported: secrets, and internal fields. */
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
  | 'event'

/** JSON has no undefined fields. */
type UserRecord = { [Field in keyof ExportedUser]: ExportedUser[Field] | undefined }
/** A new field of a user does not compile until it is exported or left out. */
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

async function* portionsOf({ personal }: Data, name: ViewerList, dated: string, user_ids: number[], read: Read) {
  for (const user_id of user_ids) {
    const portions = personal.portions(name, user_id, dated)
    for (;;) {
      const { value, done } = await read(() => portions.next())
      if (done) break
      yield value
    }
  }
}

/** What is stored about a user and their profiles, as JSON in pieces. docs/privacy.md says what is left out. */
export async function* exportOf(data: Data, user: UserDocument, read: Read): AsyncGenerator<string> {
  // All profiles that an erasure would remove, including disabled ones.
  const others = await read(async () => Promise.all((await data.profiles.othersOf(user._id)).map(data.users.byId)))
  const users = [user, ...others.filter(other => other !== null).sort((a, b) => a._id - b._id)]
  const ids = users.map(({ _id }) => _id)
  yield `{"users":${JSON.stringify(users.map(userRecord))}`
  for (const { name, toExported, orderedBy } of eachList) {
    yield `,"${name}":[`
    let separator = ''
    for await (const portion of portionsOf(data, name, orderedBy, ids, read)) {
      if (portion.length === 0) continue
      yield separator + portion.map(element => JSON.stringify(toExported(element))).join(',')
      separator = ','
    }
    yield ']'
  }
  const seen = await read(() => Promise.all(ids.map(data.seen.exported)))
  yield `,"seen":${JSON.stringify(seen.flat())}`
  const sessions = await read(() => data.sessions.list(user._id))
  yield `,"sessions":${JSON.stringify(sessions.map(toSession))},"exported_at":"${timestamp(new Date())}"}`
}
