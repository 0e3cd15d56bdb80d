import { addAbortSignal, Readable } from 'node:stream'
import type { Data } from '../data/index.js'
import { orThrow, tooManyRequests, unauthenticated, unavailable } from '../errors.js'
import { Semaphore } from '../overload/semaphore.js'
import { minutes } from '../time.js'
import { exportOf } from './export.js'

/** An export holds about a megabyte while its caller reads. */
const exportsAtOnce = 16
/** How many exports may read at once. The other connections are for viewers who wait for an answer. */
const readsAtOnce = 2
/** How long an export may take if its caller reads slowly. A caller who reads nothing is cut off much sooner, as with any answer. */
const longest = minutes(10)

async function* answerOf(data: AsyncGenerator<string>) {
  yield '{"success":true,"data":'
  yield* data
  yield '}'
}

/** The exports of a process: few at once, and one for each user. */
export const exportsOf = (data: Data) => {
  const running = new Set<number>()
  const reads = new Semaphore(readsAtOnce)

  const assertRoom = (id: number) => {
    if (running.has(id)) throw tooManyRequests()
    if (running.size >= exportsAtOnce) throw unavailable()
  }
  const userOf = async (id: number) => orThrow(await data.users.byId(id), unauthenticated)

  return {
    /** An empty answer to a HEAD, or the error that the export would get. Begins no export. */
    head: async (id: number): Promise<Readable> => {
      await userOf(id)
      assertRoom(id)
      return Readable.from([])
    },

    /** The answer as a stream, which reads from the database as fast as its caller takes it. */
    begin: async (id: number): Promise<Readable> => {
      const user = await userOf(id)
      assertRoom(id)
      running.add(id)
      const answer = Readable.from(answerOf(exportOf(data, user, read => reads.run(read))))
      return addAbortSignal(AbortSignal.timeout(longest), answer).once('close', () => running.delete(id))
    }
  }
}
