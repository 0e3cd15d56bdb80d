import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch'
import type { Clock } from './clock.js'
import { errorOf, noAnswer, ViewerError } from './errors.js'
import type { paths } from './schema.js'

export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>

type Method = 'get' | 'post' | 'put' | 'delete'
type PathsWith<M extends Method> = { [Path in keyof paths]: Exclude<paths[Path][M], undefined> extends never ? never : Path }[keyof paths]

type Success<Path extends keyof paths, M extends Method, Init> = Extract<
  FetchResponse<Exclude<paths[Path][M], undefined>, Init, 'application/json'>,
  { error?: never }
>['data']
/** What a read answers with is its data; a write answers with its code and message. */
type Answer<Body> = Body extends { data: infer Data } ? Data : Body

/** Calls a path of the interface with its parameters and body, and gives what the answer holds. Throws a `ViewerError`. */
export type Call<M extends Method> = <Path extends PathsWith<M>, Init extends MaybeOptionalInit<paths[Path], M>>(
  path: Path,
  ...init: undefined extends Init ? [init?: Init] : [init: Init]
) => Promise<Answer<Success<Path, M, Init>>>

/** Sends with a limit of time, and learns the time of the service from what comes back. */
export const createTransport = (fetch: Fetch, timeout: number, clock: Clock): Fetch => {
  return async request => {
    const asked = Date.now()
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeout)]) })
    clock.learn(response, asked)
    return response
  }
}

interface Untyped {
  request: (
    method: Method,
    path: string,
    init?: { signal?: AbortSignal }
  ) => Promise<{ data?: { success?: unknown; data?: unknown }; error?: unknown; response: Response }>
}

export const createCalls = (baseUrl: string, fetch: Fetch) => {
  // The arrays of the interface are values separated by commas.
  const api = createFetchClient({ baseUrl, fetch, querySerializer: { array: { style: 'form', explode: false } } }) as Untyped

  const call = <M extends Method>(method: M) =>
    (async (path: string, init?: { signal?: AbortSignal }) => {
      const { data, error, response } = await api.request(method, path, init).catch((cause: unknown) => {
        throw cause instanceof ViewerError || init?.signal?.aborted ? cause : noAnswer(cause)
      })
      if (!response.ok) throw errorOf(response, error)
      if (data?.success !== true) throw noAnswer('What came back is not of the service: a portal or a proxy may have answered')
      return 'data' in data ? data.data : data
    }) as Call<M>

  return { get: call('get'), post: call('post'), put: call('put'), delete: call('delete') }
}
