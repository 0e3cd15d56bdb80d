import type { Db, IndexDescription, ObjectId } from 'mongodb'
import type { Preferences, PreferencesChange, PreferencesEntry } from '../../schemas/preferences.js'
import { date, id, objectId, optional, orNull, text, validatorOf, whole } from '../database/bson-schema.js'
import { withRetries } from '../database/retry.js'
import { timestamp } from '../time.js'
import {
  anyTitle,
  arrivalIndex,
  arrivalOfAdded,
  exportIndex,
  type ListDescription,
  type ListWrites,
  oneForEachContent,
  removalOfAdded,
  replacedIndex,
  wireContentId,
  withUser
} from './lists.js'

/** The languages that a viewer prefers: for a title or, under `anyTitle`, in general. */
export interface PreferencesDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  audio?: string | null
  subtitles?: string | null
  updated_at: Date
  arrived_at?: Date
  /** Later with every write, so that a removal never deletes what was written after the decision to remove. */
  asked_at?: Date
}

export const preferencesValidator = validatorOf<PreferencesDocument>({
  _id: objectId,
  user_id: id,
  content_id: whole,
  audio: optional(orNull(text)),
  subtitles: optional(orNull(text)),
  updated_at: date,
  arrived_at: optional(date),
  asked_at: optional(date)
})

/** `content_id` lets the index find the titles beyond the limit. */
export const preferencesIndexes: IndexDescription[] = [
  oneForEachContent,
  { key: { user_id: 1, updated_at: -1, _id: -1, content_id: 1 } },
  arrivalIndex,
  replacedIndex('updated_at'),
  exportIndex('updated_at')
]

/** How many titles a viewer may have preferences for. */
const mostTitles = 1000

export const toPreferences = ({ content_id, audio, subtitles, updated_at }: PreferencesDocument): PreferencesEntry => ({
  content_id: wireContentId(content_id),
  audio: audio ?? null,
  subtitles: subtitles ?? null,
  updated_at: timestamp(updated_at)
})

export const preferredLanguages = {
  name: 'preferences',
  orderedBy: 'updated_at',
  changedBy: ['arrived_at'],
  toEntry: toPreferences,
  toExported: withUser(toPreferences),
  removal: removalOfAdded(['updated_at']),
  move: {
    dated: 'updated_at',
    observed: 'updated_at',
    latest: 'asked_at',
    filled: ['audio', 'subtitles'],
    arrival: arrivalOfAdded
  }
} satisfies ListDescription

export const preferencesOf = (db: Db, { tell, remover }: ListWrites) => {
  const preferences = db.collection<PreferencesDocument>('preferences')

  /** Removes preferences unless they have been written since. */
  const removeUnchanged = (element: PreferencesDocument) =>
    remover.unlessSince({ created_at: element.updated_at, ...element }, element.asked_at ?? element.arrived_at)

  /** Removes the preferences for titles that were changed longest ago. */
  const removeBeyondLimit = async (user_id: number) => {
    const filter = { user_id, content_id: { $gt: anyTitle } }
    const oldest = { sort: { updated_at: -1, _id: -1 }, skip: mostTitles } as const
    for (const element of await withRetries(() => preferences.find(filter, oldest).toArray())) await removeUnchanged(element)
  }

  return {
    /** Each value comes from the first content id that has one. */
    get: async (user_id: number, content_ids: number[]): Promise<Preferences> => {
      const found = await withRetries(() => preferences.find({ user_id, content_id: { $in: content_ids } }).toArray())
      const inOrder = content_ids.map(id => found.find(({ content_id }) => content_id === id))
      const first = (field: keyof Preferences) => inOrder.map(element => element?.[field]).find(value => typeof value === 'string') ?? null
      return { audio: first('audio'), subtitles: first('subtitles') }
    },

    /** Sets the given values, and removes the document if none is left. */
    put: async (user_id: number, content_id: number, given: PreferencesChange) => {
      const values = Object.entries(given)
      const differs = { $or: values.map(([field, value]) => ({ $ne: [{ $ifNull: [`$${field}`, null] }, value] })) }
      const ifChanged = (field: string) => ({ $cond: [differs, '$$NOW', `$${field}`] })
      const fields = {
        ...given,
        updated_at: ifChanged('updated_at'),
        arrived_at: ifChanged('arrived_at'),
        asked_at: { $max: ['$$NOW', { $add: ['$asked_at', 1] }] }
      }
      const upsert = values.some(([, value]) => value !== null)
      const options = { upsert, returnDocument: 'after', includeResultMetadata: true } as const
      const write = () => preferences.findOneAndUpdate({ user_id, content_id }, [{ $set: fields }], options)
      const { value: stored, lastErrorObject } = await withRetries(() => tell(user_id, write))
      if (!stored) return
      if (stored.audio == null && stored.subtitles == null) await removeUnchanged(stored)
      else if (lastErrorObject?.upserted) await removeBeyondLimit(user_id)
    },

    remove: remover.contents
  }
}
