import type { IndexDescription, ObjectId } from 'mongodb'

/** How far a user has watched a content. `updated_at` is when the player was there. */
export interface HistoryDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  time: number
  percentage: number
  created_at: Date
  updated_at: Date
}

export const historyIndexes: IndexDescription[] = [
  { key: { user_id: 1, content_id: 1 }, unique: true },
  { key: { user_id: 1, updated_at: -1, _id: -1 } }
]
