import { type Interactions, interactionsOf } from '../../../src/recommendations/model/interactions.js'
import { randomFrom } from '../../../src/recommendations/model/sampling.js'

/** Made-up users and items that behave like real ones: items have a place in a few tastes and a popularity, users have tastes. */

const normalFrom = (random: () => number) => () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** A random index. `sums` are the cumulated weights of the indexes. */
const drawn = (sums: Float64Array, random: () => number) => {
  const wanted = random() * (sums.at(-1) as number)
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

const sumsOf = (count: number, weightOf: (at: number) => number) => {
  const sums = new Float64Array(count)
  let sum = 0
  for (let at = 0; at < count; at++) {
    sum += weightOf(at)
    sums[at] = sum
  }
  return sums
}

const interactionsFrom = (histories: Set<number>[], itemCount: number): Interactions => {
  const users = histories.flatMap((history, user) => Array<number>(history.size).fill(user))
  const items = histories.flatMap(history => [...history])
  return interactionsOf({ users: Uint32Array.from(users), items: Uint32Array.from(items) }, histories.length, itemCount)
}

/** Few items that many know, as films: each user likes what lies in the direction of a few tastes. */
export const dense = ({ users = 500, items = 250, views = 30, seed = 1 } = {}) => {
  const random = randomFrom(seed)
  const normal = normalFrom(random)
  const tastes = 12
  const places = Array.from({ length: items }, () => Float64Array.from({ length: tastes }, (_, at) => normal() / Math.sqrt(at + 1)))
  const fame = Float64Array.from({ length: items }, () => 1.2 * normal())
  const histories = Array.from({ length: users }, () => {
    const wants = Float64Array.from({ length: tastes }, normal)
    const sums = sumsOf(items, item =>
      Math.exp((fame[item] as number) + (places[item] as Float64Array).reduce((sum, place, at) => sum + place * (wants[at] as number), 0))
    )
    const history = new Set<number>()
    const size = Math.min(Math.ceil(views * Math.exp(0.7 * normal() - 0.25)), items / 3)
    while (history.size < size) history.add(drawn(sums, random))
    return history
  })
  return interactionsFrom(histories, items)
}

/** Many items that few know, as places: a user goes about in one neighbourhood, sometimes elsewhere, sometimes where a friend went. */
export const sparse = ({ users = 2500, items = 4000, views = 12, seed = 1 } = {}) => {
  const random = randomFrom(seed)
  const normal = normalFrom(random)
  const cities = 60
  const fame = Float64Array.from({ length: items }, () => Math.exp(normal()))
  const size = Math.floor(items / cities)
  const histories: Set<number>[] = []
  for (let user = 0; user < users; user++) {
    const city = Math.floor(random() ** 1.5 * cities)
    const home = random() * size
    const near = sumsOf(size, at => (fame[city * size + at] as number) * (Math.exp(-Math.abs(at - home) / 6) + 0.01))
    const history = new Set<number>()
    const most = Math.ceil(views * Math.exp(0.6 * normal() - 0.18)) + 3
    while (history.size < most) {
      const chance = random()
      const friend = histories[user - cities * Math.ceil(random() * 5)]
      if (chance < 0.1) history.add(Math.floor(random() * items))
      else if (chance < 0.3 && friend) history.add([...friend][Math.floor(random() * friend.size)] as number)
      else history.add(city * size + drawn(near, random))
    }
    histories.push(history)
  }
  return interactionsFrom(histories, items)
}

/** What is watched next depends on what was watched last: tastes change on the way. */
export const drifting = ({ users = 500, items = 300, views = 40, seed = 1 } = {}) => {
  const random = randomFrom(seed)
  const histories = Array.from({ length: users }, () => {
    const history = new Set<number>()
    let place = random() * items
    while (history.size < views) {
      place += 6 + random() * 4
      for (let more = 0; more < 3; more++) history.add(Math.floor(place + random() * 14) % items)
    }
    return history
  })
  return interactionsFrom(histories, items)
}

/** Each item has a few features, of which users like some more than others. Every twentieth item, the last ones, is new. */
export const featured = ({ users = 600, items = 400, views = 25, features = 60, seed = 1 } = {}) => {
  const random = randomFrom(seed)
  const normal = normalFrom(random)
  const tastes = 12
  const directions = Array.from({ length: features }, () => Float64Array.from({ length: tastes }, () => 0.6 * normal()))
  const own = Array.from({ length: items }, () => new Set(Array.from({ length: 4 }, () => Math.floor(random() ** 1.4 * features))))
  const appeal = own.map(set => {
    const place = Float64Array.from({ length: tastes }, () => 0.4 * normal())
    for (const feature of set)
      directions[feature]?.forEach((value, at) => {
        place[at] = (place[at] as number) + value
      })
    return { place, fame: 0.7 * normal() }
  })
  const histories = Array.from({ length: users }, () => {
    const wants = Float64Array.from({ length: tastes }, normal)
    const sums = sumsOf(items, item => {
      const { place, fame } = appeal[item] as (typeof appeal)[number]
      return Math.exp(place.reduce((sum, value, at) => sum + value * (wants[at] as number), fame))
    })
    const history = new Set<number>()
    for (let tries = 0; history.size < views && tries < 50 * views; tries++) history.add(drawn(sums, random))
    return [...history]
  })
  return { histories, features: own.map(set => [...set]), known: Math.ceil(items * 0.95) }
}
