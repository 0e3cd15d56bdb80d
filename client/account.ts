import type { Calls } from './calls.js'
import { createCodeSignIn } from './code-sign-in.js'
import { isUnauthorized, wrongCredentials } from './errors.js'
import type { SignedIn } from './session.js'
import type { UserCalls } from './user-calls.js'

interface Options {
  /** Without a token. */
  open: Calls
  userCalls: UserCalls
  get: Calls['get']
  begin: (signedIn: SignedIn) => Promise<void>
  leave: () => Promise<void>
  /** Ends the heartbeats of a player and the live copy. */
  stop: () => void
  /** Drops what the store has about a profile. */
  forget: (id: number) => Promise<void>
}

const codePath = (user_code: string) => ({ params: { path: { userCode: user_code } } })

/** Signing in and out, and what belongs to the account of a user. */
export const createAccount = ({ open, userCalls, get, begin, leave, stop, forget }: Options) => {
  const { calls, once, asWrong } = userCalls
  const signInWithCode = createCodeSignIn(open)
  const decide = (user_code: string, approve: boolean) =>
    calls.post('/login/device/{userCode}', { ...codePath(user_code), body: { approve } })

  const asWrongPassword = asWrong('The password is wrong')

  return {
    /** `device` is the name of this device in the list of sessions. */
    signIn: async (email: string, password: string, { device }: { device?: string } = {}) => {
      const body = { email, password, ...(device !== undefined && { device }) }
      const signedIn = await open.post('/login', { body }).catch(error => {
        throw isUnauthorized(error) ? wrongCredentials(error, 'The e-mail or the password is wrong') : error
      })
      await begin(signedIn)
      return signedIn.user
    },
    /** Shows a code, and resolves with the user who has approved it elsewhere. */
    signInWithCode: async (given: Parameters<typeof signInWithCode>[0]) => {
      const signedIn = await signInWithCode(given)
      await begin(signedIn)
      return signedIn.user
    },
    /** Also works offline. The service then ends the session when its refresh token expires. */
    signOut: async () => {
      // A heartbeat after the logout would be refused, as if the session had ended on its own.
      stop()
      await calls.post('/logout').catch(() => undefined)
      await leave()
    },

    /** The signed-in user, as the service knows them. */
    me: () => get('/me'),
    /** Ends all other sessions of the user. */
    changePassword: async (password: string, new_password: string) => {
      await once.put('/me/password', { body: { password, new_password } }).catch(asWrongPassword)
    },
    /** What the service stores about the user. */
    exportMe: () => calls.get('/me/export'),
    /** Erases the user with all profiles, and everything that the service and this client store about them, and signs out. */
    eraseMe: async (password: string) => {
      const profiles = await calls.get('/profiles')
      await once.delete('/me', { body: { password } }).catch(asWrongPassword)
      // Background work would fill the copies again.
      stop()
      for (const { id } of profiles) await forget(id)
      await leave()
    },

    /** Where the user is signed in, most recently used first. */
    sessions: () => calls.get('/sessions'),
    endSession: (id: string) => calls.delete('/sessions/{sessionId}', { params: { path: { sessionId: id } } }),
    endOtherSessions: () => calls.delete('/sessions', { params: { query: { others: true } } }),

    /** The device that shows this code. */
    deviceRequest: (user_code: string) => calls.get('/login/device/{userCode}', codePath(user_code)),
    /** Signs that device in as the user. */
    approveDevice: (user_code: string) => decide(user_code, true),
    denyDevice: (user_code: string) => decide(user_code, false)
  }
}
