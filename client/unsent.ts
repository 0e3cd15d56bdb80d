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
  /** Null removes the rating. */
  rating: Rating | null
}
export interface KeptPreferences extends PreferencesChange, Unsent {
  kind: 'preferences'
  /** Null for those of the profile. */
  content_id: number | null
}
export type Kept = KeptReport | KeptRating | KeptPreferences

/** An item that the service has refused, and why. It is not sent again. */
export type Refused = Kept & {
  /** The code of the response, for example 404 if the content item does not exist. */
  code?: number | undefined
  message: string
}

export interface Refusal {
  kept: Kept
  error: ViewerError
}

/** The maximum that is kept per user. Beyond it, the oldest item is dropped. */
const mostKept = 1000
const mostRefused = 200

const newestOf = <K extends Kept>(user_id: number, all: K[], most: number) => {
  const dropped = new Set(all.filter(kept => kept.user_id === user_id).slice(0, -most))
  return all.filter(kept => !dropped.has(kept))
}

const isSame = (one: Kept, other: Kept) => one.user_id === other.user_id && one.kind === other.kind && one.content_id === other.content_id

/** Whether the response to `last` also settles this item: it is of the same kind and content item, and not newer. */
export const isAnswered = (kept: Kept, last: Kept) => isSame(kept, last) && kept.observed <= last.observed

const placeOf = (kept: Kept) => (kept.kind === 'report' ? (kept.time ?? kept.percentage ?? 0) : 0)
const isOnTheWay = (from: Kept, middle: Kept, to: Kept) => (placeOf(middle) - placeOf(from)) * (placeOf(to) - placeOf(middle)) >= 0

/**
 * For ratings and preferences, only the last one counts. Of the reports of a content item, keeps the first, the newest, and those where
 * the viewer changed direction, because the newest alone would not show that a viewer who restarted had seen the end.
 */
const withKept = (all: Kept[], kept: Kept) => {
  const [newest, before] = all.filter(other => isSame(other, kept)).reverse()
  const isReplaced = newest && (kept.kind !== 'report' || (before && isOnTheWay(before, newest, kept)))
  if (!isReplaced) return newestOf(kept.user_id, [...all, kept], mostKept)
  return [...all.filter(other => other !== newest), { ...newest, ...kept }]
}

/** The items that have not been sent yet, oldest first, and separately those that the service has refused. */
export const createUnsent = (store: Store, exclusively: Exclusively) => {
  const unsent = async () => (await store.load('unsent')) ?? []
  const refused = async () => (await store.load('refused')) ?? []
  const edit = (change: (all: Kept[]) => Kept[]) => exclusively('unsent', async () => store.save('unsent', change(await unsent())))
  const editRefused = (change: (all: Refused[]) => Refused[]) =>
    exclusively('refused', async () => store.save('refused', change(await refused())))

  return {
    of: async (user_id: number) => (await unsent()).filter(kept => kept.user_id === user_id),
    add: (kept: Kept) => edit(all => withKept(all, kept)),
    /** Removes settled items, but not those that have replaced them meanwhile. */
    remove: (answered: Kept[]) => edit(all => all.filter(kept => !answered.some(last => isAnswered(kept, last)))),
    drop: (user_id: number) => edit(all => all.filter(kept => kept.user_id !== user_id)),

    refusedOf: async (user_id: number) => (await refused()).filter(kept => kept.user_id === user_id),
    /** Keeps the newest of each content item, because a player keeps reporting what is refused. */
    addRefused: ({ kept, error: { code, message } }: Refusal) =>
      editRefused(all => newestOf(kept.user_id, [...all.filter(other => !isSame(other, kept)), { ...kept, code, message }], mostRefused)),
    dropRefused: (user_id: number) => editRefused(all => all.filter(kept => kept.user_id !== user_id))
  }
}
