import type { ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { components } from './schema.js'
import type { Store } from './store.js'

export type PreferencesChange = components['schemas']['PreferencesChange']
export type Rating = components['schemas']['RatingChange']['rating']

/** The position of the player. */
export interface Report {
  content_id: number
  /** Seconds from the start. */
  time?: number
  /** From 0 to 100. */
  percentage?: number
}

/** What the service has not acknowledged yet. */
interface Unsent {
  user_id: number
  /** Milliseconds, by the clock of this device. */
  observed: number
}
export interface KeptReport extends Report, Unsent {
  kind: 'report'
}
export interface KeptRating extends Unsent {
  kind: 'rating'
  content_id: number
  /** Null takes the rating back. */
  rating: Rating | null
}
export interface KeptPreferences extends PreferencesChange, Unsent {
  kind: 'preferences'
  /** Null for those of the profile. */
  content_id: number | null
}
export type Kept = KeptReport | KeptRating | KeptPreferences

/** What the service has refused, and why. It is not sent again. */
export type Refused = Kept & {
  /** The code of the response, for example 404 if the content item is not there. */
  code?: number | undefined
  message: string
}

export interface Refusal {
  kept: Kept
  error: ViewerError
}

/** The most that is kept of each user. When there is more, the oldest is dropped. */
const mostKept = 1000
const mostRefused = 200

const newestOf = <K extends Kept>(user_id: number, all: K[], most: number) => {
  const dropped = new Set(all.filter(kept => kept.user_id === user_id).slice(0, -most))
  return all.filter(kept => !dropped.has(kept))
}

const isSame = (one: Kept, other: Kept) => one.user_id === other.user_id && one.kind === other.kind && one.content_id === other.content_id

/** Whether the answer to `last` settles this one too: it says the same of the same content item, and is not newer. */
export const isAnswered = (kept: Kept, last: Kept) => isSame(kept, last) && kept.observed <= last.observed

const placeOf = (kept: Kept) => (kept.kind === 'report' ? (kept.time ?? kept.percentage ?? 0) : 0)
const isOnTheWay = (from: Kept, middle: Kept, to: Kept) => (placeOf(middle) - placeOf(from)) * (placeOf(to) - placeOf(middle)) >= 0

/**
 * Of a rating, and of preferences, the last one counts. Of the reports of a content item, it keeps the first and the newest one, and those
 * where the viewer turned back or forward: the newest report alone would not say that a viewer who has begun again had seen the end.
 */
const withKept = (all: Kept[], kept: Kept) => {
  const [newest, before] = all.filter(other => isSame(other, kept)).reverse()
  const isReplaced = newest && (kept.kind !== 'report' || (before && isOnTheWay(before, newest, kept)))
  if (!isReplaced) return newestOf(kept.user_id, [...all, kept], mostKept)
  return [...all.filter(other => other !== newest), { ...newest, ...kept }]
}

/** What is not sent yet, oldest first, and separately what the service has refused. */
export const createUnsent = (store: Store, exclusively: Exclusively) => {
  const unsent = async () => (await store.load('unsent')) ?? []
  const refused = async () => (await store.load('refused')) ?? []
  const edit = (change: (all: Kept[]) => Kept[]) => exclusively('unsent', async () => store.save('unsent', change(await unsent())))
  const editRefused = (change: (all: Refused[]) => Refused[]) =>
    exclusively('refused', async () => store.save('refused', change(await refused())))

  return {
    of: async (user_id: number) => (await unsent()).filter(kept => kept.user_id === user_id),
    add: (kept: Kept) => edit(all => withKept(all, kept)),
    /** Removes what was answered, but not what has meanwhile taken its place. */
    remove: (answered: Kept[]) => edit(all => all.filter(kept => !answered.some(last => isAnswered(kept, last)))),
    drop: (user_id: number) => edit(all => all.filter(kept => kept.user_id !== user_id)),

    refusedOf: async (user_id: number) => (await refused()).filter(kept => kept.user_id === user_id),
    /** Keeps the newest of each content item, because a player goes on reporting what is refused. */
    addRefused: ({ kept, error: { code, message } }: Refusal) =>
      editRefused(all => newestOf(kept.user_id, [...all.filter(other => !isSame(other, kept)), { ...kept, code, message }], mostRefused)),
    dropRefused: (user_id: number) => editRefused(all => all.filter(kept => kept.user_id !== user_id))
  }
}
