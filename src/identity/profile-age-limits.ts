import type { Data } from '../data/index.js'
import type { UserDocument } from '../data/users.js'
import { invalid } from '../errors.js'

/** Ensures that each account keeps a profile without an age limit. Otherwise nobody could ever lift a limit again. */
export const profileAgeLimitsOf = ({ profiles }: Pick<Data, 'profiles'>) => {
  const assertUnlimitedWithout = async (account: number, id: number) => {
    const isLeft = (await profiles.list(account)).some(({ _id, max_age = null }) => _id !== id && max_age === null)
    if (!isLeft) throw invalid([{ field: 'max_age', message: 'must be null for at least one profile' }])
  }

  /**
   * Two requests at once may each rely on the other's profile. So this checks again after the write, and undoes it if no unlimited
   * profile is left.
   */
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

    /** Runs the removal of a profile, which no longer counts as unlimited meanwhile. */
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
