import type { ProfileSwitch } from '../../schemas/profile.js'
import type { Data } from '../database/data.js'
import { invalid, orThrow, unauthenticated } from '../errors.js'
import type { PasswordChecks } from './password-checks.js'
import { isFirst } from './profile-documents.js'
import { epochOf } from './session-document.js'
import type { Viewer } from './tokens.js'
import type { UserDocument } from './users.js'

/**
 * A check for `sessions.begin`. Finds the profile if it still exists, its account has not ended all sessions since the new one was allowed,
 * and the session `sid`, which requests it, is alive, had to make room for the new one, or still counts.
 */
export const profileIfCurrent =
  (
    { profiles, sessions }: Pick<Data, 'profiles' | 'sessions'>,
    { account, id, sid }: { account: number; id: number; sid: string },
    stillCounts = async () => false
  ) =>
  async ({ epoch, replaced }: { epoch: number; replaced: string[] }) => {
    const all = await profiles.list(account)
    // The session is checked last, just before the response.
    const counts = (await sessions.living(account, sid)) || replaced.includes(sid) || (await stillCounts())
    const first = all.find(isFirst)
    return counts && first && epochOf(first) === epoch ? all.find(({ _id }) => _id === id) : undefined
  }

/** Returns a function that begins a session of another profile of the account, if the caller may switch to it. */
export const profileSwitchOf = ({ profiles, sessions }: Data, checks: PasswordChecks) => {
  const confirm = async (own: UserDocument, profile: UserDocument, { pin, password }: ProfileSwitch, address: string) => {
    if (profile.pin_hash !== undefined) {
      if (pin === undefined) throw unauthenticated()
      await checks.confirmPin(profile, pin, address)
    } else if ((profile.max_age ?? Number.POSITIVE_INFINITY) > (own.max_age ?? Number.POSITIVE_INFINITY)) {
      if (password === undefined) throw unauthenticated()
      await checks.confirmPassword(own.account_id ?? own._id, password, address)
    }
  }

  return async (viewer: Viewer, id: number, given: ProfileSwitch, address: string) => {
    const { account } = viewer
    const sid = viewer.sid as string
    // Not the limit of the token, which may be older than the one that was just set.
    const [profile, own] = await Promise.all([profiles.byId(account, id), profiles.byId(account, viewer.id)])
    await confirm(own, profile, given, address)
    const living = await sessions.livingOrThrow(account, sid)
    // Otherwise a child could sign out the household by switching repeatedly.
    const inPlaceOf = (own.max_age ?? null) === null ? undefined : [viewer.id, id]
    const ifCurrent = profileIfCurrent({ profiles, sessions }, { account, id, sid })
    const options = { user_id: id, inPlaceOf }
    return orThrow(await sessions.begin(living.account, living.session.device ?? null, ifCurrent, options), unauthenticated)
  }
}

/** Ensures that each account keeps a profile without an age limit. Otherwise no one could ever remove a limit again. */
export const profileAgeLimitsOf = ({ profiles }: Pick<Data, 'profiles'>) => {
  const assertUnlimitedWithout = async (account: number, id: number) => {
    const isLeft = (await profiles.list(account)).some(({ _id, max_age = null }) => _id !== id && max_age === null)
    if (!isLeft) throw invalid([{ field: 'max_age', message: 'must be null for at least one profile' }])
  }

  /** Checks again after the write, and undoes it if needed, because two concurrent requests may each rely on the other's profile. */
  const set = async (account: number, { _id, max_age = null }: UserDocument, limit: number) => {
    await assertUnlimitedWithout(account, _id)
    await profiles.change(account, _id, { max_age: limit })
    await assertUnlimitedWithout(account, _id).catch(async refusal => {
      await profiles.change(account, _id, { max_age })
      throw refusal
    })
  }

  return {
    set,

    /** Runs the removal of a profile, which meanwhile no longer counts as unlimited. */
    whileRemoving: async (account: number, profile: UserDocument, remove: () => Promise<void>) => {
      const { _id, max_age = null } = profile
      if (max_age !== null) return remove()
      await set(account, profile, 0)
      await remove().catch(async error => {
        await profiles.change(account, _id, { max_age }).catch(() => undefined)
        throw error
      })
    }
  }
}
