import { days } from '../time.js'
import { firstWhere } from './first-where.js'
import type { Programme } from './programmes.js'
import { distinct } from './selection.js'
import { fold } from './words.js'

/** How long before its start a programme is shown as the next one. */
const nextWithin = days(1)

interface OnAir {
  now: Programme | undefined
  next: Programme | undefined
  /** Until this moment, the same programmes are shown. */
  until: number
}

/** The programmes of one channel. */
class Channel {
  private readonly programmes: Programme[] = []
  /** For each programme, when it and all before it have ended. */
  private readonly allEnded: number[] = []

  constructor(readonly name: string) {}

  /** Call it in the order of the programmes' starts. */
  add(programme: Programme) {
    this.programmes.push(programme)
    this.allEnded.push(Math.max(programme.ends, this.allEnded.at(-1) ?? programme.ends))
  }

  onAir(moment: number, isShown: (programme: Programme) => boolean): OnAir {
    const begun = firstWhere(this.programmes.length, at => this.at(at).starts > moment)
    const now = this.running(begun, moment, isShown)
    const latest = moment + nextWithin
    let at = begun
    while (at < this.programmes.length && this.at(at).starts <= latest && !isShown(this.at(at))) at++
    const candidate = this.programmes[at]
    const next = candidate && candidate.starts <= latest ? candidate : undefined
    const changes = next ? next.starts : candidate ? candidate.starts - nextWithin : Number.POSITIVE_INFINITY
    return { now, next, until: Math.min(changes, now?.ends ?? Number.POSITIVE_INFINITY) }
  }

  /** The shown programme that runs at this moment, or of several the one that began last. `begun` programmes have begun by then. */
  private running(begun: number, moment: number, isShown: (programme: Programme) => boolean) {
    for (let at = begun - 1; at >= 0 && (this.allEnded[at] as number) > moment; at--) {
      const programme = this.at(at)
      if (programme.ends > moment && isShown(programme)) return programme
    }
    return undefined
  }

  private at(place: number) {
    return this.programmes[place] as Programme
  }
}

/** The programmes by channel, for what is on at a moment. */
export class Channels {
  private readonly byName: Map<string, Channel>

  /** `programmes` must be sorted by start. */
  constructor(programmes: readonly Programme[]) {
    const unsorted = new Map<string, Channel>()
    for (const programme of programmes) {
      const channel = unsorted.get(programme.channel) ?? new Channel(programme.channel)
      unsorted.set(programme.channel, channel)
      channel.add(programme)
    }
    const names = [...unsorted.keys()].map(name => ({ name, key: fold(name) }))
    names.sort((a, b) => (a.key < b.key || (a.key === b.key && a.name < b.name) ? -1 : 1))
    this.byName = new Map(names.map(({ name }) => [name, unsorted.get(name) as Channel]))
  }

  /** Makes equivalent filters equal, so that they share a cache key. */
  normalized(names: string[] | undefined) {
    return distinct(names, name => this.byName.has(name))
  }

  /** What these channels, or all, show now and next, and until when. Sorted by name, without channels that show nothing. */
  onAir(names: string[] | undefined, moment: number, isShown: (programme: Programme) => boolean) {
    const wanted = names && new Set(names)
    const channels: (Omit<OnAir, 'until'> & { channel: string })[] = []
    let until = Number.POSITIVE_INFINITY
    for (const channel of this.byName.values()) {
      if (wanted && !wanted.has(channel.name)) continue
      const { until: changes, ...shown } = channel.onAir(moment, isShown)
      until = Math.min(until, changes)
      if (shown.now || shown.next) channels.push({ channel: channel.name, ...shown })
    }
    return { channels, until }
  }
}
