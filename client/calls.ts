import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch'
import type { Clock } from './clock.js'
import { errorOf, noAnswer, notFromService, ViewerError } from './errors.js'
import type { paths } from './schema.js'

export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>

type Method = 'get' | 'post' | 'put' | 'delete'
type PathsWith<M extends Method> = { [Path in keyof paths]: Exclude<paths[Path][M], undefined> extends never ? never : Path }[keyof paths]

type Success<Path extends keyof paths, M extends Method, Init> = Extract<
  FetchResponse<Exclude<paths[Path][M], undefined>, Init, 'application/json'>,
  { error?: never }
>['data']
/** The `data` of a read, or the whole body of a write. */
type Answer<Body> = Body extends { data: infer Data } ? Data : Body

/** With `offline`, a read without a connection resolves with the last response, marked with this. */
export interface Stale {
  isStale?: true
}

/** Calls a path with its parameters and body, and resolves with the content of the response. Throws a `ViewerError`. */
export type Call<M extends Method> = <Path extends PathsWith<M>, Init extends MaybeOptionalInit<paths[Path], M>>(
  path: Path,
  ...init: undefined extends Init ? [init?: Init] : [init: Init]
) => Promise<Answer<Success<Path, M, Init>> & (M extends 'get' ? Stale : unknown)>

/** Timeouts that have not fired. Node.js may collect a signal that only `AbortSignal.any` refers to, and it then never fires. */
const timeouts = new Set<AbortSignal>()

const timeoutSignal = (milliseconds: number) => {
  const signal = AbortSignal.timeout(milliseconds)
  timeouts.add(signal)
  signal.addEventListener('abort', () => timeouts.delete(signal))
  return signal
}

/** Sends a request with a timeout, which includes the body of the response, and sets the clock from it. */
export const createTransport = (fetch: Fetch, timeout: number, clock: Clock): Fetch => {
  return async request => {
    const asked = Date.now()
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, timeoutSignal(timeout)]) })
    clock.learn(response, asked)
    return response
  }
}

/** The headers that say in whose name a request is sent. */
export const identityHeaders = (token: string, profile?: number) => ({
  authorization: `Bearer ${token}`,
  ...(profile !== undefined && { 'viewer-profile': String(profile) })
})

export const contentPath = (contentId: number) => ({ path: { contentId: String(contentId) } })

interface Untyped {
  request: (
    method: Method,
    path: string,
    init?: { signal?: AbortSignal }
  ) => Promise<{ data?: { success?: unknown; data?: unknown }; error?: unknown; response: Response }>
}

export const createCalls = (baseUrl: string, fetch: Fetch) => {
  // The interface expects arrays as values separated by commas.
  const api = createFetchClient({ baseUrl, fetch, querySerializer: { array: { style: 'form', explode: false } } }) as Untyped

  const call = <M extends Method>(method: M) =>
    (async (path: string, init?: { signal?: AbortSignal }) => {
      const { data, error, response } = await api.request(method, path, init).catch((cause: unknown) => {
        throw cause instanceof ViewerError || init?.signal?.aborted ? cause : noAnswer(cause)
      })
      if (!response.ok) throw errorOf(response, error)
      if (data?.success !== true) throw notFromService()
      return 'data' in data ? data.data : data
    }) as Call<M>

  return { get: call('get'), post: call('post'), put: call('put'), delete: call('delete') }
}
export type Calls = ReturnType<typeof createCalls>
