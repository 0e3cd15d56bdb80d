import { reasonTypes } from '../../../schemas/recommendation.js'
import { Cache } from '../../cache.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { days } from '../../time.js'
import type { Report } from '../../viewing/progress.js'
import { type ReasonType, type Recommendation, reasonTypeOf } from './reasons.js'

/** A title that was recommended to a user, and when it was counted. Once started, it is not counted again. */
interface Showing {
  id: number
  at: number
  reason: ReasonType
  state: (typeof states)[number]
}

const states = ['recommended', 'shown', 'begun'] as const

/** What was recently recommended to a user. */
interface Recent {
  /** Whether the user's app reports what was seen. */
  isReporting: boolean
  showings: Showing[]
}

// As numbers, because objects would take four times the memory.
const packed = ({ isReporting, showings }: Recent) => {
  const fields = showings.flatMap(({ id, at, reason, state }) => [id, at, reasonTypes.indexOf(reason), states.indexOf(state)])
  return Float64Array.of(Number(isReporting), ...fields)
}
const unpacked = (numbers: Float64Array): Recent => ({
  isReporting: numbers[0] === 1,
  showings: Array.from({ length: (numbers.length - 1) / 4 }, (_, i): Showing => {
    const number = (field: number) => numbers[1 + 4 * i + field] as number
    return { id: number(0), at: number(1), reason: reasonTypes[number(2)] as ReasonType, state: states[number(3)] as Showing['state'] }
  })
})

/** In bytes. Enough for 18,000 users with 20 titles each. */
const cacheSize = 16 * 1024 * 1024
/** Bytes of an array besides its numbers. */
const overhead = 200
const mostPerUser = 200
const countedFor = days(1)

/** Counts the titles that this process recommends to users, and how many of them are started within a day. The counts are not by user. */
export class Uptake {
  readonly shown: Record<ReasonType, number> = { watched: 0, popular: 0 }
  readonly begun: Record<ReasonType, number> = { watched: 0, popular: 0 }
  private readonly byUser = new Cache<number, Float64Array>(cacheSize, ({ byteLength }) => overhead + byteLength)

  constructor(private readonly catalogue: Catalogue) {}

  /** A title that is recommended again within a day counts once, whatever the list. */
  show(user: number, recommendations: Recommendation[], now = Date.now()) {
    const { skeleton } = this.catalogue
    const { isReporting, showings } = this.recent(user, now)
    const ids = new Set(showings.map(({ id }) => id))
    const state = isReporting ? 'recommended' : 'shown'
    const added = recommendations
      .map(({ title, because }): Showing => ({ id: skeleton.idOf(title), at: now, reason: reasonTypeOf(because), state }))
      .filter(({ id }) => !ids.has(id))
    if (added.length === 0) return
    if (!isReporting) for (const { reason } of added) this.shown[reason]++
    this.byUser.set(user, packed({ isReporting, showings: [...added, ...showings].slice(0, mostPerUser) }))
  }

  /** From now on, only titles that the user's app reports as seen count as shown. */
  see(user: number, titles: readonly number[], now = Date.now()) {
    const { showings } = this.recent(user, now)
    for (const showing of showings) {
      if (showing.state !== 'recommended' || !titles.includes(showing.id)) continue
      this.shown[showing.reason]++
      Object.assign(showing, { state: 'shown', at: now })
    }
    this.byUser.set(user, packed({ isReporting: true, showings }))
  }

  /**
   * Any report starts an item, even at 0 seconds. The item may have been recommended, or be an episode of a show that was. Earlier
   * observations do not count, because a device may have been offline.
   */
  begin(user: number, { content_id, progress: { observed_at } }: Report, now = Date.now()) {
    const { skeleton, tree } = this.catalogue
    const row = skeleton.row(content_id)
    if (row === undefined) return
    const title = skeleton.idOf(tree.title(row))
    const recent = this.recent(user, now)
    const showing = recent.showings.find(({ id }) => id === title)
    if (!showing || showing.state === 'begun' || (observed_at && observed_at.getTime() < showing.at)) return
    // The app may report what was seen after what was started.
    if (showing.state === 'recommended') this.shown[showing.reason]++
    this.begun[showing.reason]++
    showing.state = 'begun'
    this.byUser.set(user, packed(recent))
  }

  private recent(user: number, now: number): Recent {
    const { isReporting, showings } = unpacked(this.byUser.get(user) ?? new Float64Array(1))
    return { isReporting, showings: showings.filter(({ at }) => at > now - countedFor) }
  }
}
