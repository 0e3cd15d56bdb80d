import type { Calls } from './calls.js'
import type { Clock } from './clock.js'
import { contentsOf, type Deed, dataAfter, deedOf, type KeptResponse, withDeed } from './deeds.js'
import { ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { User } from './keeper.js'
import type { Store } from './store.js'
import type { UserCalls } from './user-calls.js'

/** A kept response in the index of all, the least recently used first. */
export interface Place {
  /** It is stored as `response-`, followed by this number. */
  slot: number
  account_id: number
  user_id: number
  key: string
  /** Characters of JSON. */
  size: number
}

interface Options {
  store: Store
  /** The name under which the store has the signed-in user. */
  signedInAs: 'session' | 'identity'
  exclusively: Exclusively
  clock: Clock
  viewer: () => Promise<User | undefined>
  userCalls: UserCalls
  unsentOf: (id: number) => Promise<Deed[]>
}

/** The limits for all profiles together. Browsers give an app about 5,000,000 characters of localStorage. */
const mostResponses = 100
const mostCharacters = 1_000_000
const mostDeeds = 200

/** Responses that are useful only while they are fresh, or are too large. */
const neverKept = ['/changes', '/changes/stream', '/health', '/login/device/{userCode}', '/me/export', '/metrics', '/ready', '/sessions']

const within = (places: Place[]) => {
  let size = 0
  const hasRoom = (place: Place) => {
    size += place.size
    return size <= mostCharacters
  }
  return places.slice(-mostResponses).reverse().filter(hasRoom).reverse()
}

const keyOf = ({ url, headers }: Request) => `${headers.get('accept-language') ?? ''} ${url}`

type Asked = Pick<KeptResponse, 'key' | 'url' | 'asked'>
type Untyped = (path: string, init?: object) => Promise<unknown>

/** Keeps the responses to reads, for use without a connection, and what the viewer has done since. */
export const createOffline = ({ store, signedInAs, exclusively, clock, viewer, userCalls, unsentOf }: Options) => {
  const { calls, answerTo } = userCalls
  const inTurn = <T>(work: () => Promise<T>) => exclusively('responses', work)
  const places = async () => (await store.load('responses')) ?? []
  /** Another tab may have signed out, or switched to another profile. */
  const isWatching = async (id: number) => (await store.load(signedInAs))?.user.id === id

  /** Stores these places, and drops the responses that have none. */
  const savePlaces = async (before: Place[], next: Place[]) => {
    for (const { slot } of before) if (!next.some(place => place.slot === slot)) await store.save(`response-${slot}`, null)
    await store.save('responses', next)
  }

  const keep = (response: KeptResponse, account_id: number) =>
    inTurn(async () => {
      const { user_id, key } = response
      if (!(await isWatching(user_id))) return
      const before = await places()
      const isIt = (place: Place) => place.user_id === user_id && place.key === key
      const taken = new Set(before.filter(place => !isIt(place)).map(({ slot }) => slot))
      const slot = before.find(isIt)?.slot ?? [...Array(mostResponses + 1).keys()].find(slot => !taken.has(slot)) ?? 0
      const size = JSON.stringify(response).length
      const others = before.filter(place => !isIt(place) && place.account_id === account_id)
      const isTooLarge = size > mostCharacters
      await savePlaces(before, isTooLarge ? others : within([...others, { slot, account_id, user_id, key, size }]))
      if (!isTooLarge) await store.save(`response-${slot}`, response)
    })

  /** Every response also says whose it is, because the index may have been stored without it. */
  const load = async ({ slot, user_id, key }: Place) => {
    const response = await store.load(`response-${slot}`)
    return response?.user_id === user_id && response.key === key ? response : undefined
  }

  const deedsSince = async ({ user_id, asked }: KeptResponse) => {
    const acknowledged = ((await store.load('deeds')) ?? []).filter(deed => deed.user_id === user_id && deed.at >= asked)
    return [...acknowledged, ...(await unsentOf(user_id))].sort((one, other) => one.observed - other.observed)
  }

  /** The last response to a call, as it would be after what the viewer has done since. */
  const last = (user_id: number, key: string) =>
    inTurn(async () => {
      if (!(await isWatching(user_id))) return undefined
      const all = await places()
      const own = all.filter(place => place.user_id === user_id)
      const place = own.find(place => place.key === key)
      const response = place && (await load(place))
      if (!response) return undefined
      await store.save('responses', [...all.filter(other => other !== place), place])
      const deeds = await deedsSince(response)
      if (deeds.length === 0) return response.data
      const dateOf = (observed: number) => clock.serviceTime(observed).replace('Z', '000Z')
      return dataAfter(response, deeds, { contents: contentsOf(await Promise.all(own.map(load))), dateOf })
    })

  /** The app has its response even if the store has no room for it. */
  const keepAll = async (user: User, path: string, request: Asked, data: unknown) => {
    if (typeof data === 'object' && data !== null)
      await keep({ user_id: user.id, ...request, path, data }, user.account_id ?? user.id).catch(() => undefined)
    return data
  }
  const staleAfter = async (error: unknown, user_id: number, { key }: Asked) => {
    const data = error instanceof ViewerError && error.kind === 'no-answer' ? await last(user_id, key) : undefined
    if (!data) throw error
    // A list is an array, which also gets the property.
    return Object.assign(data, { isStale: true })
  }

  const get = async (path: string, init?: object) => {
    const user = neverKept.includes(path) ? undefined : await viewer()
    if (!user) return (calls.get as Untyped)(path, init)
    let asked: Asked | undefined
    const fetch = (request: Request) => {
      asked = { key: keyOf(request), url: request.url, asked: Date.now() }
      return answerTo(request, user.id)
    }
    const reading = (calls.get as Untyped)(path, { fetch, ...init })
    return reading.then(
      data => (asked ? keepAll(user, path, asked, data) : data),
      error => {
        if (!asked) throw error
        return staleAfter(error, user.id, asked)
      }
    )
  }

  /** Stores what the service has acknowledged. Never throws, because the call has succeeded even if the store is full. */
  const note = (deeds: Deed[]) =>
    inTurn(async () => {
      const [first] = deeds
      if (!first || !(await isWatching(first.user_id))) return
      const before = (await store.load('deeds')) ?? []
      const at = Date.now()
      const next = deeds.reduce((all, deed) => withDeed(all, { ...deed, at }), before)
      await store.save('deeds', next.slice(-mostDeeds))
    }).catch(() => undefined)

  const write = (method: 'post' | 'put' | 'delete') => async (path: string, init?: object) => {
    const user = await viewer()
    const answer = await (calls[method] as Untyped)(path, init)
    const deed = user && deedOf(method, path, init, { user_id: user.id, observed: Date.now() })
    if (deed) await note([deed])
    return answer
  }

  return {
    calls: { get, post: write('post'), put: write('put'), delete: write('delete') } as Calls,
    note,
    /** Drops what is kept for a profile, or everything if none is given. */
    drop: (user_id?: number) =>
      inTurn(async () => {
        const isMeant = (id: number) => user_id === undefined || id === user_id
        const before = await places()
        await savePlaces(
          before,
          before.filter(place => !isMeant(place.user_id))
        )
        const deeds = (await store.load('deeds')) ?? []
        await store.save(
          'deeds',
          deeds.filter(deed => !isMeant(deed.user_id))
        )
      })
  }
}
