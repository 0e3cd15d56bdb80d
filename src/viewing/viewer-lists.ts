import type { Changes } from '../../schemas/changes.js'
import type { Export } from '../../schemas/export.js'
import type { ViewerList } from '../sync/removals.js'
import { toHidden } from './hidden.js'
import { isServableHistory, toHistory } from './history.js'
import { isServableElement, type ListElement } from './lists.js'
import { isServablePreferences, toPreferences } from './preferences.js'
import { isServableRating, toRating } from './ratings.js'
import { isServableWatchlist, toExportedWatchlist, toWatchlist } from './watchlist.js'

interface Description<Entry extends object, Exported extends object> {
  /** Whether the element has the fields that it is sent with. Other software may have left some out. */
  isServable: (element: never) => boolean
  /** An element as GET /changes sends it. `video_id` is that of its content. */
  toEntry: (element: never, video_id: string) => Entry
  /** Whether an entry needs the `video_id`. An element whose content is gone is then left out. */
  namesVideo?: true
  /** The date that orders the list, if not `created_at`. */
  orderedBy?: 'updated_at'
  /** An element as it is exported. */
  toExported: (element: never) => Exported
}

type Lists = { [List in ViewerList]: Description<Changes[List][number], Export[List][number]> }

const withUser =
  <Element extends { user_id: number }, Entry extends object>(toEntry: (element: Element) => Entry) =>
  (element: Element) => ({ user_id: element.user_id, ...toEntry(element) })

/** The lists of a viewer. GET /changes reports each of them, a removal leaves a mark, and the export contains them. */
export const viewerLists = {
  history: { isServable: isServableHistory, toEntry: toHistory, toExported: toHistory, orderedBy: 'updated_at' },
  watchlist: { isServable: isServableWatchlist, toEntry: toWatchlist, namesVideo: true, toExported: toExportedWatchlist },
  hidden: { isServable: isServableElement, toEntry: toHidden, toExported: withUser(toHidden) },
  ratings: { isServable: isServableRating, toEntry: toRating, toExported: withUser(toRating) },
  preferences: { isServable: isServablePreferences, toEntry: toPreferences, toExported: withUser(toPreferences), orderedBy: 'updated_at' }
} satisfies Lists

/** For code that does the same with each list. The casts let it pass any element: give each list only its own. */
export const eachList = Object.entries(viewerLists) as unknown as [
  ViewerList,
  {
    isServable: (element: ListElement) => boolean
    toEntry: (element: ListElement, video_id?: string) => object
    namesVideo?: true
    orderedBy?: 'updated_at'
    toExported: (element: ListElement) => object
  }
][]
