import type { Calls } from './calls.js'
import { sessionEnded, ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { ProviderKeeper } from './provider-session.js'
import type { components } from './schema.js'
import { type SessionKeeper, type SignedIn, sessionOf } from './session.js'
import type { UserCalls } from './user-calls.js'

type Schemas = components['schemas']

interface Options {
  open: Calls
  userCalls: UserCalls
  get: Calls['get']
  own: SessionKeeper
  /** Given if an identity provider issues the tokens. */
  provider: ProviderKeeper | undefined
  exclusively: Exclusively
  leave: () => Promise<void>
  /** Sends what the signed-in profile has reported. */
  deliver: () => Promise<void>
  /** Ends the heartbeats of a player and the live copy, which would continue in the name of the next profile. */
  stop: () => void
  /** Drops what the store has about a profile. */
  forget: (id: number) => Promise<void>
}

const pathOf = (id: number) => ({ params: { path: { profileId: String(id) } } })

/** The profiles of an account, one of which is in use on this device. */
export const createProfiles = ({ open, userCalls, get, own, provider, exclusively, leave, deliver, stop, forget }: Options) => {
  const session = provider ?? own
  const { calls, callsOf, once, asWrong } = userCalls

  const end = (token: string) => open.post('/logout', { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined)

  /** Resolves with the session that was replaced. */
  const goOn = async (owner: number | undefined, signedIn: SignedIn) => {
    try {
      await deliver()
      const replaced = await own.replace(owner, sessionOf(signedIn))
      if (!replaced) throw sessionEnded()
      return replaced
    } catch (error) {
      await end(signedIn.access_token)
      throw error
    }
  }

  return {
    /** The profiles of the account, the first one first. */
    profiles: () => get('/profiles'),
    /** Resolves with the id of the new profile. */
    addProfile: async (profile: Schemas['ProfileAddition']) => {
      let path = ''
      const learnPath = ({ headers }: Response) => {
        path = headers.get('location') ?? ''
      }
      await callsOf(undefined, learnPath).post('/profiles', { body: profile })
      const id = Number(path.split('/').at(-1))
      if (!id) throw new ViewerError('failed', 'The profile was added, but the response has no Location with its id: see profiles()')
      return id
    },
    /** Fields that are not given keep their values. */
    changeProfile: (id: number, changes: Schemas['ProfileChange']) => calls.put('/profiles/{profileId}', { ...pathOf(id), body: changes }),
    /** Removes a profile, with everything that the service and this client store about it. */
    removeProfile: async (id: number) => {
      const user = await session.user()
      await calls.delete('/profiles/{profileId}', pathOf(id))
      await forget(id)
      if (user?.id === id) await leave()
    },

    /**
     * Continues as this profile, and resolves with it as the user. Ends the session of the previous profile at the service. Left on the
     * device, it would open that profile to anyone who holds the device, and each switch would leave one more.
     */
    useProfile: (id: number, given: Schemas['ProfileSwitch'] = {}) =>
      exclusively('profile', async () => {
        if (provider) {
          await deliver()
          stop()
          const user = await provider.useProfile(id)
          void deliver()
          return user
        }
        const before = await session.user()
        const signedIn = await once
          .post('/profiles/{profileId}/token', { ...pathOf(id), body: given })
          .catch(asWrong('The PIN or the password is missing or wrong'))
        const replaced = await goOn(before?.id, signedIn)
        stop()
        await end(replaced.access_token)
        void deliver()
        return signedIn.user
      })
  }
}
