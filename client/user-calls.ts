import { type Calls, createCalls, type Fetch, identityHeaders } from './calls.js'
import { isUnauthorized, sessionEnded, signedOut, wrongCredentials } from './errors.js'
import type { Keeper } from './keeper.js'

export const createUserCalls = (baseUrl: string, transport: Fetch, session: Keeper) => {
  const send = (request: Request, token: string, profile: number | undefined) => {
    for (const [name, value] of Object.entries(identityHeaders(token, profile))) request.headers.set(name, value)
    return transport(request)
  }
  /** Reports are sent as their owner, even if another profile was chosen meanwhile. */
  const profileFor = (token: string, owner?: number) => {
    const chosen = session.profileOf?.(token)
    return chosen === undefined ? undefined : (owner ?? chosen)
  }
  const asSessionEnded = (error: unknown) => {
    throw isUnauthorized(error) && session.hasEnded() ? sessionEnded(error) : error
  }
  const guarded = <Call extends (...given: never[]) => Promise<unknown>>(call: Call) =>
    ((...given) => call(...given).catch(asSessionEnded)) as Call

  /** If an owner is given, nothing is sent in the name of another user. */
  const answerTo = async (request: Request, owner?: number) => {
    const token = await session.token(owner)
    if (!token) return transport(request)
    const profile = profileFor(token, owner)
    const again = request.clone()
    const response = await send(request, token, profile)
    if (response.status !== 401) return response
    const renewed = await session.tokenAfter(token, owner)
    return renewed ? send(again, renewed, profile) : response
  }
  const callsOf = (owner?: number, onResponse: (response: Response) => void = () => {}): Calls => {
    const calls = createCalls(baseUrl, async request => {
      const response = await answerTo(request, owner)
      onResponse(response)
      return response
    })
    return { get: guarded(calls.get), post: guarded(calls.post), put: guarded(calls.put), delete: guarded(calls.delete) }
  }

  const onceOf = (owner?: number) =>
    createCalls(baseUrl, async request => {
      const token = await session.token(owner)
      if (token) return send(request, token, profileFor(token, owner))
      if (owner !== undefined) throw signedOut()
      return transport(request)
    })

  const calls = callsOf()
  return {
    answerTo,
    callsOf,
    calls,

    /** For calls that may be lost. A 401, for example after a sign-out, must not end the session. */
    onceOf,
    /** For calls with a password or PIN. A wrong one also returns 401, and must not be retried with a new token. */
    once: onceOf(),
    /** Turns a 401 of such a call into a wrong-credentials error with this message, unless the session has ended. */
    asWrong: (message: string) => async (error: unknown) => {
      if (!isUnauthorized(error)) throw error
      await calls.get('/me')
      throw wrongCredentials(error, message)
    }
  }
}
export type UserCalls = ReturnType<typeof createUserCalls>
