import { type RecommendationReason, reasonTypes } from '../../../schemas/recommendation.js'
import { Cache } from '../../cache.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { days } from '../../time.js'
import type { Recommendation } from './reasons.js'

type ReasonType = RecommendationReason['type']

/** A title that was recommended to a user, and when it was counted. Once begun, it is not counted again. */
interface Showing {
  id: number
  at: number
  state: ReasonType | 'begun'
}

const states = [...reasonTypes, 'begun'] as const

// As numbers, because objects would take four times the memory.
const packed = (showings: Showing[]) => Float64Array.from(showings.flatMap(({ id, at, state }) => [id, at, states.indexOf(state)]))
const unpacked = (numbers: Float64Array) =>
  Array.from({ length: numbers.length / 3 }, (_, i): Showing => {
    const number = (field: number) => numbers[3 * i + field] as number
    return { id: number(0), at: number(1), state: states[number(2)] as Showing['state'] }
  })

/** In bytes. Enough for 24,000 users with 20 titles each. */
const cacheSize = 16 * 1024 * 1024
/** Bytes of an array besides its numbers. */
const overhead = 200
const mostPerUser = 200
const countedFor = days(1)

/** Counts the titles that this process recommends to users, and how many of them are begun within a day. No count names a user. */
export class Uptake {
  readonly shown: Record<ReasonType, number> = { watched: 0, popular: 0 }
  readonly begun: Record<ReasonType, number> = { watched: 0, popular: 0 }
  private readonly byUser = new Cache<number, Float64Array>(cacheSize, ({ byteLength }) => overhead + byteLength)

  constructor(private readonly catalogue: Catalogue) {}

  /** A title that is recommended again within a day counts once, in whatever lists it comes. */
  show(user: number, recommendations: Recommendation[], now = Date.now()) {
    const { skeleton } = this.catalogue
    const counted = this.countedSince(user, now - countedFor)
    const ids = new Set(counted.map(({ id }) => id))
    const added = recommendations
      .map(({ title, because }) => ({ id: skeleton.idOf(title), at: now, state: because === undefined ? 'popular' : 'watched' }) as const)
      .filter(({ id }) => !ids.has(id))
    if (added.length === 0) return
    for (const { state } of added) this.shown[state]++
    this.byUser.put(user, packed([...added, ...counted].slice(0, mostPerUser)))
  }

  /** Any report begins a content, even at 0 seconds. It may have been recommended, or be an episode of a show that was. */
  begin(user: number, content_id: number, now = Date.now()) {
    const { skeleton, tree } = this.catalogue
    const row = skeleton.row(content_id)
    if (row === undefined) return
    const title = skeleton.idOf(tree.title(row))
    const counted = this.countedSince(user, now - countedFor)
    const showing = counted.find(({ id }) => id === title)
    if (!showing || showing.state === 'begun') return
    this.begun[showing.state]++
    showing.state = 'begun'
    this.byUser.put(user, packed(counted))
  }

  /** The titles that were counted for a user after that moment. */
  private countedSince(user: number, moment: number): Showing[] {
    const numbers = this.byUser.get(user)
    return numbers ? unpacked(numbers).filter(({ at }) => at > moment) : []
  }
}
