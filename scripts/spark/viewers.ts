import { randomFrom } from '../../src/recommendations/model/random.js'

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

/** About how far apart the numbers of two titles are that are much alike. */
const near = 8

/**
 * Makes up viewers who behave like real ones. Some titles are much more popular than others. A viewer stays in a group for a while, moves
 * on to a title much like the last one, often its sequel (the next number), and sometimes watches what everybody watches.
 */
export function* viewersOf({ viewers, titles, views, group, seed = 1 }: Shape): Generator<number[]> {
  const random = randomFrom(seed)
  const groups = Math.ceil(titles / group)
  const popular = (count: number) => Math.floor(count * random() ** 2.5)
  for (let viewer = 0; viewer < viewers; viewer++) {
    const size = Math.min(Math.max(3, Math.round(views * Math.exp(0.7 * normalFrom(random) - 0.25))), titles / 3)
    const favourites = [popular(groups), popular(groups), Math.floor(random() * groups)]
    const history = new Set<number>()
    let here = favourites[0] as number
    let last = -1
    while (history.size < size) {
      const chance = random()
      if (chance < 0.1) here = favourites[Math.floor(random() * favourites.length)] as number
      if (last >= 0 && chance < 0.3) last++
      else if (last >= 0 && chance < 0.55) last += Math.floor((random() - 0.4) * 2 * near)
      // The places of popular titles are spread over a group.
      else if (chance < 0.9) last = here * group + ((popular(group) * 7919) % group)
      else last = popular(groups) * group + ((popular(group) * 7919) % group)
      if (last >= 0 && last < titles) history.add(last)
      else last = -1
    }
    yield [...history]
  }
}
