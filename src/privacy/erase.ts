import type { Data } from '../database/data.js'
import type { Revocations } from '../identity/revocations.js'
import { withDeadline } from '../overload/deadlines.js'
import { minutes, seconds } from '../time.js'

type Needed = Pick<Data, 'erasures' | 'users' | 'profiles' | 'personal' | 'sessions' | 'loginAttempts'>

/** How long the response waits for an erasure. If it takes longer, or fails, it is completed in the background. */
const patience = seconds(1)

/** Records the erasure of a user and their profiles, so that it is completed whatever happens, and disables them. */
export const beginErasure = async ({ erasures, users, profiles }: Needed, id: number) => {
  for (const one of [...(await profiles.othersOf(id)), id]) {
    const user = await users.byId(one)
    // Other systems are told about the account, not about the profiles erased with it.
    await erasures.begin(one, { ...user, isTold: user !== null && one === id })
    await users.disable(one)
  }
}

/** Safe to repeat. Removes the user last, because a run after an interrupted one needs the e-mail. */
export const removeUser = async (data: Needed, id: number) => {
  const { users, profiles, personal, sessions, loginAttempts } = data
  for (const profile of await profiles.othersOf(id)) await removeUser(data, profile)
  await personal.removeAll(id)
  const user = await users.byId(id)
  // The sessions of a profile have the id of its account, so they still exist.
  if (user?.account_id !== undefined) await sessions.endProfile(user.account_id, id)
  if (user?.email !== undefined) await loginAttempts.forget(user.email)
  await users.remove(id)
}

interface Eraser {
  data: Needed
  revocations: Pick<Revocations, 'refresh'>
  log: { warn: (fields: object, text: string) => void }
}

export const erase = async ({ data, revocations, log }: Eraser, id: number) => {
  await beginErasure(data, id)
  const removed = revocations.refresh().then(() => removeUser(data, id))
  await withDeadline(removed, patience).catch(err =>
    log.warn({ err, user: id }, 'the erasure was not completed in time, continuing in the background')
  )
}

/** A failed sweep is retried when its claim has expired. */
const retryAfter = minutes(1)

/** Removes reports that were in flight, and what an interrupted erasure has left. `life` is that of a token, in milliseconds. */
export const sweepDue = async (data: Data, revocations: Pick<Revocations, 'dueSweeps' | 'planSweep'>, life: number) => {
  for (const id of revocations.dueSweeps()) {
    revocations.planSweep(id, retryAfter)
    if (await data.erasures.claimSweep(id)) {
      await removeUser(data, id)
      await data.erasures.endSweep(id, life)
    }
    revocations.planSweep(id, Number.POSITIVE_INFINITY)
  }
}
