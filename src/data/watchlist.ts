import type { IndexDescription } from 'mongodb'

export interface WatchlistDocument {
  _id: number
  user_id: number
  content_id: number
  created_at: Date
  updated_at: Date
}

export const watchlistIndexes: IndexDescription[] = [
  { key: { user_id: 1, content_id: 1 }, unique: true },
  { key: { user_id: 1, created_at: -1, _id: -1 } }
]
