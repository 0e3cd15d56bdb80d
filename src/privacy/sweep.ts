import type { Data } from '../data/index.js'
import type { RefusedUsers } from '../identity/refused-users.js'
import { minutes } from '../time.js'
import { removeUser } from './erase.js'

/** A sweep that failed is tried again when its claim has expired. */
const retryAfter = minutes(1)

/**
 * Removes what is still stored about erased users: reports that were in flight, and whatever an interrupted erasure has left.
 * `life` is how long a token lives, in milliseconds.
 */
export const sweepDue = async (data: Data, refused: RefusedUsers, life: number) => {
  for (const id of refused.due()) {
    refused.plan(id, retryAfter)
    if (await data.erasures.claimSweep(id)) {
      await removeUser(data, id)
      await data.erasures.endSweep(id, life)
    }
    refused.plan(id, Number.POSITIVE_INFINITY)
  }
}
