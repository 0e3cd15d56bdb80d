import { type Calls, contentPath } from './calls.js'
import type { Outbox } from './outbox.js'
import type { PreferencesChange, Rating } from './unsent.js'

/** What the user likes, and in which languages. An episode or season stands for its show. */
export const createTaste = (calls: Calls, { put }: Outbox) => {
  const changePreferences = ({ audio, subtitles }: PreferencesChange, contentId: number | null = null) =>
    put({
      kind: 'preferences',
      content_id: contentId,
      ...(audio !== undefined && { audio }),
      ...(subtitles !== undefined && { subtitles })
    })

  return {
    /** Hides a title from suggestions to the user. */
    hide: (contentId: number) => calls.put('/hidden/{contentId}', { params: contentPath(contentId) }),
    unhide: (contentId: number) => calls.delete('/hidden/{contentId}', { params: contentPath(contentId) }),
    /** The titles that the user has hidden, newest first. */
    hidden: ({ page = 1, perPage = 20 } = {}) => calls.get('/hidden', { params: { query: { page, perPage } } }),

    /** Likes or dislikes a title. Like a report, it is kept until it can be sent. */
    rate: (contentId: number, rating: Rating) => put({ kind: 'rating', content_id: contentId, rating }),
    /** Removes the rating. */
    unrate: (contentId: number) => put({ kind: 'rating', content_id: contentId, rating: null }),
    /** The titles that the user has rated, newest first. */
    ratings: ({ page = 1, perPage = 20 } = {}) => calls.get('/ratings', { params: { query: { page, perPage } } }),

    /** The languages that the user prefers for a title or, if none is given, in general. */
    preferences: (contentId?: number) =>
      contentId === undefined ? calls.get('/preferences') : calls.get('/preferences/{contentId}', { params: contentPath(contentId) }),
    /**
     * Sets the given fields for a title or, if none is given, in general. Null clears a field. Like a report, it is kept until it can be
     * sent.
     */
    changePreferences,
    clearPreferences: (contentId?: number) => changePreferences({ audio: null, subtitles: null }, contentId)
  }
}
