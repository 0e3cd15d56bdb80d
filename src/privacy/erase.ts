import type { Data } from '../data/index.js'

type Needed = Pick<Data, 'erasures' | 'users' | 'personal' | 'loginAttempts'>

/** Writes down that the user is erased, so that it will be completed whatever happens, and lets nobody sign in as them. */
export const beginErasure = async ({ erasures, users }: Needed, id: number) => {
  const user = await users.byId(id)
  await erasures.begin(id, user ?? {})
  await users.disable(id)
}

/** May be repeated. The user goes last, because a run that follows a broken one needs the e-mail. */
export const removeUser = async ({ users, personal, loginAttempts }: Needed, id: number) => {
  await personal.removeAll(id)
  const user = await users.byId(id)
  if (user?.email !== undefined) await loginAttempts.forget(user.email)
  await users.remove(id)
}
