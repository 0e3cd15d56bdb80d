import { isOpen } from '../../catalogue/audience.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { latestOf } from '../../data/history-columns.js'
import type { Data } from '../../data/index.js'
import { isServableWatchlist } from '../../data/watchlist.js'
import type { InterestSettings, Viewing } from '../../recommendations/interest.js'
import { recentUntil } from '../../recommendations/serving/answers.js'
import { type Recommendation, reasonFor } from '../../recommendations/serving/reasons.js'
import type { Recommender } from '../../recommendations/serving/recommender.js'
import { continueWatching } from '../continue-watching.js'
import { type CardWithHistory, cardParts, watchlistParts } from '../viewer-bytes.js'
import type { HomeRequest } from './public-rows.js'
import { itemParts, type PlannedRow } from './row.js'

/** How many `because` rows there are at most, and how many of the titles watched last are tried for them. */
const maxBecauseRows = 2
const maxTitlesTried = 5

/** What the database stores about a viewer. */
export type Stored = Awaited<ReturnType<Data['history']['wholeAndLists']>>

export const cardsOf = (catalogue: Catalogue, stored: Stored, { items, audience }: HomeRequest, { completedAt }: InterestSettings) =>
  continueWatching(catalogue, {
    history: latestOf(stored),
    hidden: stored.hidden,
    dismissed: stored.dismissed,
    completedAt,
    audience
  }).slice(0, items)

export const cardsRow = (cards: CardWithHistory[], basePath: string): PlannedRow => ({
  kind: 'continue_watching',
  more: `${basePath}/continue-watching`,
  items: cards.map(card => ({ content_id: card.content_id, parts: content => cardParts(card, content) }))
})

/** For a viewer with an age limit, more elements of the watchlist are read than shown, because those above the limit are then left out. */
const savedForLimited = 1000
export const savedFor = ({ items, audience }: HomeRequest) => (audience.maxAge === undefined ? items : savedForLimited)

export const watchlistRow = (catalogue: Catalogue, { saved }: Stored, { items, audience }: HomeRequest, basePath: string): PlannedRow => {
  const isSuited = catalogue.suitedTo(audience)
  return {
    kind: 'watchlist',
    more: `${basePath}/watchlist`,
    items: catalogue.broken
      .keepServable('watchlist', saved, isServableWatchlist)
      .filter(({ content_id }) => isSuited?.(content_id) ?? true)
      .slice(0, items)
      .map(element => ({ content_id: element.content_id, parts: content => watchlistParts(element, content) }))
  }
}

const isRecent = ({ skeleton }: Catalogue, title: number, recentDays: number) => Date.now() < recentUntil(skeleton, title, recentDays)

export const recommendedRow = (
  catalogue: Catalogue,
  recommendations: Recommendation[],
  recentDays: number,
  basePath: string
): PlannedRow => {
  const { skeleton } = catalogue
  const items = recommendations.map(({ title, because }) => {
    const recent = isRecent(catalogue, title, recentDays)
    const cause = because === undefined ? undefined : skeleton.idOf(because)
    return {
      content_id: skeleton.idOf(title),
      because: cause,
      parts: (content, named) => itemParts(content, { recent, reason: reasonFor(cause, named) })
    } satisfies PlannedRow['items'][number]
  })
  return { kind: 'recommended', more: `${basePath}/recommendations`, items }
}

interface BecauseOptions {
  audience: HomeRequest['audience']
  count: number
  recentDays: number
  basePath: string
  /** Titles to leave out. The titles of the new rows are added. */
  taken: Set<number>
}

/** Titles like those that were watched last. */
export const becauseRowsOf = (
  catalogue: Catalogue,
  recommender: Recommender,
  viewing: Viewing,
  { audience, count, recentDays, basePath, taken }: BecauseOptions
): PlannedRow[] => {
  const { skeleton } = catalogue
  const rows: PlannedRow[] = []
  const excluded = new Set(viewing.excluded)
  for (const title of taken) excluded.add(title)
  for (const watched of [...viewing.titles.keys()].slice(0, maxTitlesTried)) {
    if (!isOpen(skeleton, watched, Date.now(), audience)) continue
    const similar = recommender.similar(watched, audience, count, excluded)
    if (similar.length === 0) continue
    const because = skeleton.idOf(watched)
    const items = similar.map(title => {
      taken.add(title)
      excluded.add(title)
      const recent = isRecent(catalogue, title, recentDays)
      return { content_id: skeleton.idOf(title), parts: content => itemParts(content, { recent }) } satisfies PlannedRow['items'][number]
    })
    rows.push({ kind: 'because', because, more: `${basePath}/contents/${because}/similar`, items })
    if (rows.length === maxBecauseRows) break
  }
  return rows
}
