import { Cache } from '../../cache.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { days } from '../../time.js'
import type { Recommendation } from './recommender.js'

export const reasons = ['watched', 'popular'] as const
type ReasonType = (typeof reasons)[number]

/** What was last recommended to a user: the ids of the titles by reason. */
type Shown = { at: number } & Record<ReasonType, Float64Array>

/** In bytes. Enough for 40,000 users with 20 titles each. */
const cacheSize = 16 * 1024 * 1024
/** Bytes of the object and its two arrays. */
const overhead = 240
const countedFor = days(1)

const reasonOf = ({ because }: Recommendation): ReasonType => (because === undefined ? 'popular' : 'watched')

/** Counts the titles that this process recommends to users, and how many of them are begun within a day. No count names a user. */
export class Uptake {
  readonly shown: Record<ReasonType, number> = { watched: 0, popular: 0 }
  readonly begun: Record<ReasonType, number> = { watched: 0, popular: 0 }
  private readonly byUser = new Cache<number, Shown>(
    cacheSize,
    ({ watched, popular }) => overhead + watched.byteLength + popular.byteLength
  )

  constructor(private readonly catalogue: Catalogue) {}

  /** A title that is recommended again within a day counts once. */
  show(user: number, recommendations: Recommendation[], now = Date.now()) {
    const { skeleton } = this.catalogue
    const before = this.latest(user, now)
    const idsOf = (reason: ReasonType) =>
      Float64Array.from(
        recommendations.filter(recommendation => reasonOf(recommendation) === reason),
        ({ title }) => skeleton.idOf(title)
      )
    const latest = { at: now, watched: idsOf('watched'), popular: idsOf('popular') }
    for (const reason of reasons)
      for (const id of latest[reason]) if (!reasons.some(any => before?.[any].includes(id))) this.shown[reason]++
    this.byUser.put(user, latest)
  }

  /** A user begins a content, perhaps one that was recommended, or an episode of a show that was. */
  begin(user: number, content_id: number, now = Date.now()) {
    const { skeleton, tree } = this.catalogue
    const latest = this.latest(user, now)
    const row = skeleton.row(content_id)
    if (!latest || row === undefined) return
    const id = skeleton.idOf(tree.title(row))
    for (const reason of reasons) {
      const place = latest[reason].indexOf(id)
      if (place === -1) continue
      this.begun[reason]++
      // It counts only once.
      latest[reason][place] = Number.NaN
    }
  }

  private latest(user: number, now: number) {
    const latest = this.byUser.get(user)
    return latest && now - latest.at < countedFor ? latest : undefined
  }
}
