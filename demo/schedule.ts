import { days, minutes, seconds } from '../src/time.js'
import { type DemoContent, isPlayable, openDuring, type PlayableContent } from './contents.js'

/** The channels, and the terms of what they show. */
const channels: Record<string, string[]> = {
  move: ['Courses', 'Yoga', 'Running', 'Strength', 'Swimming'],
  outdoors: ['Nature', 'Climbing', 'Sailing', 'Cycling', 'Hiking', 'Skiing', 'Surfing'],
  stories: ['Drama', 'Comedy', 'Crime'],
  culture: ['Music', 'Arts and Stage', 'Food and Drink', 'Travel', 'History', 'Science']
}

interface Programme {
  id: number
  channel: string
  starts_at: string
  ends_at: string
  content_id: number
}

const slot = minutes(5)
const slotsOf = ({ duration }: PlayableContent) => Math.ceil(seconds(duration) / slot) * slot

/** Groups the items of a channel: films alone, the episodes of a show in threes. */
const blocksOf = (contents: PlayableContent[]) => {
  const blocks: PlayableContent[][] = []
  for (const content of contents) {
    const last = blocks.at(-1)
    if (content.type === 'episode' && last && last[0]?.parent_id === content.parent_id && last.length < 3) last.push(content)
    else blocks.push([content])
  }
  return blocks
}

/** Repeats all blocks in an order that looks shuffled. Stepping by a prime visits every block before repeating one. */
function* forever(blocks: PlayableContent[][], first: number) {
  const step = blocks.length % 37 === 0 ? 41 : 37
  for (let at = first % blocks.length; ; at = (at + step) % blocks.length) yield* blocks[at] ?? []
}

/** Seven days of programmes without gaps for every channel, from midnight (UTC) of yesterday. */
export const demoSchedule = (contents: DemoContent[], terms: { id: number; name: string }[], now: Date) => {
  const from = Math.floor(now.getTime() / days(1)) * days(1) - days(1)
  const to = from + days(7)
  const shown = contents.filter(isPlayable).filter(openDuring(now, new Date(to + days(1))))
  const programmes: Programme[] = []
  for (const [channel, likes] of Object.entries(channels)) {
    const liked = new Set(terms.filter(({ name }) => likes.includes(name)).map(({ id }) => id))
    const blocks = blocksOf(shown.filter(content => content.terms.some(id => liked.has(id))))
    let at = from
    for (const content of forever(blocks, programmes.length)) {
      const end = at + slotsOf(content)
      programmes.push({
        id: programmes.length + 1,
        channel,
        starts_at: new Date(at).toISOString(),
        ends_at: new Date(end).toISOString(),
        content_id: content.id
      })
      at = end
      if (at >= to) break
    }
  }
  return programmes
}
