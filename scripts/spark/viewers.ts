import { randomFrom } from '../../src/recommendations/model/index.js'

export interface Shape {
  viewers: number
  titles: number
  /** Titles per viewer, on average. */
  views: number
  /** Titles that have much in common, for example a genre or a town. */
  group: number
  seed?: number
}

const normalFrom = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Roughly how far apart the numbers of two similar titles are. */
const near = 8

/** Roughly the share of moves to a similar title that increase the number, so that the order carries information. */
const upwards = 0.6

/** The higher this is, the more views the most popular titles get. With 2.5, the first 18 % get half of the views. */
const concentration = 2.5

/** The standard deviation of the logarithm of a history's length. */
const spread = 0.7
/** About half of the square of `spread`, so that the mean length is the requested one. */
const correction = 0.25

/** A prime, so that its multiples reach every place in a smaller group. Spreads the popular titles over their group. */
const stride = 7919

type Move = 'sequel and turn' | 'sequel' | 'alike' | 'in group' | 'of everybody'

/**
 * How viewers get to their next title, and how often. The rest is what everyone watches. A turn to another favourite group takes effect
 * when they next look for a title in it.
 */
const shares: [Move, number][] = [
  ['sequel and turn', 0.1],
  ['sequel', 0.2],
  ['alike', 0.25],
  ['in group', 0.35]
]

/** The move for a random number below 1. */
const moveAt = (chance: number): Move => {
  let before = 0
  for (const [move, share] of shares) {
    before += share
    if (chance < before) return move
  }
  return 'of everybody'
}

/**
 * Generates viewers who behave like real ones. Some titles are much more popular than others. A viewer stays in a group for a while, moves
 * on to a title much like the last one, often its sequel (the next number), and sometimes watches what everyone watches.
 */
export function* viewersOf({ viewers, titles, views, group, seed = 1 }: Shape): Generator<number[]> {
  const random = randomFrom(seed)
  const groups = Math.ceil(titles / group)
  const popular = (count: number) => Math.floor(count * random() ** concentration)
  const popularIn = (place: number) => place * group + ((popular(group) * stride) % group)
  const isTitle = (number: number) => number >= 0 && number < titles

  /** Without a last title, there is no sequel or similar title, so the viewer looks in the group. */
  const titleBy = (move: Move, last: number | undefined, here: number) => {
    if (move === 'of everybody') return popularIn(popular(groups))
    if (move === 'in group' || last === undefined) return popularIn(here)
    return move === 'alike' ? last + Math.floor((random() - 1 + upwards) * 2 * near) : last + 1
  }

  for (let viewer = 0; viewer < viewers; viewer++) {
    const length = Math.round(views * Math.exp(spread * normalFrom(random) - correction))
    const size = Math.min(Math.max(3, length), titles / 3)
    const favourites = [popular(groups), popular(groups), Math.floor(random() * groups)]
    const history = new Set<number>()
    let here = favourites[0] as number
    let last: number | undefined
    while (history.size < size) {
      const move = moveAt(random())
      if (move === 'sequel and turn') here = favourites[Math.floor(random() * favourites.length)] as number
      const next = titleBy(move, last, here)
      last = isTitle(next) ? next : undefined
      if (last !== undefined) history.add(last)
    }
    yield [...history]
  }
}

const firstView = Date.UTC(2026, 0, 1) / 1000
const halfYear = 182 * 24 * 60 * 60

/** Lines of an events file: user, tab, title, tab, time in seconds. Viewers start on some day of half a year and continue until its end. */
export function* timedLinesOf(histories: Iterable<number[]>, seed = 1): Generator<string> {
  const random = randomFrom(seed)
  let user = 0
  for (const history of histories) {
    user++
    let left = halfYear * random()
    for (const [place, title] of history.entries()) {
      yield `${user}\t${title}\t${Math.floor(firstView + halfYear - left)}\n`
      left -= (2 * random() * left) / (history.length - place)
    }
  }
}
