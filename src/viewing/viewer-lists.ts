import type { Changes } from '../../schemas/changes.js'
import type { Export } from '../../schemas/export.js'
import { hiddenTitles } from './hidden.js'
import { watchedContents } from './history.js'
import type { ListDescription, ListElement, ViewerList } from './lists.js'
import { preferredLanguages } from './preferences.js'
import { ratedTitles } from './ratings.js'
import { watchlistElements } from './watchlist.js'

type Lists = { [List in ViewerList]: ListDescription<never, Changes[List][number], Export[List][number]> }

/**
 * The lists of a viewer. GET /changes reports each of them, removals from them are recorded, and the export contains them. A cursor stores
 * the position of a list in this order, so add another one at the end.
 */
export const viewerLists = {
  history: watchedContents,
  watchlist: watchlistElements,
  hidden: hiddenTitles,
  ratings: ratedTitles,
  preferences: preferredLanguages
} satisfies Lists

type AnyList = Omit<ListDescription<ListElement>, 'toEntry'> & { toEntry: (element: ListElement, video_id?: string) => object }

/** For code that treats all lists alike. The cast lets it pass any element, so give each list only its own. */
export const eachList = Object.values(viewerLists) as unknown as AnyList[]
