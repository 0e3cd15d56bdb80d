import { randomFrom } from '../src/recommendations/model/index.js'
import { days } from '../src/time.js'
import { type DemoContent, demoContents, isPlayable, lines, openDuring, type PlayableContent } from './contents.js'

const viewers = 240
const firstId = 1001
const titlesEach = 14
/** Most viewers of the first film watch the second one within two days. */
const sequel = ['The Slowest Way to Lisbon', 'The Slowest Way Home'] as const

/** Viewers for the model to learn from, as whom nobody can sign in. Each likes two terms, and picks every third title at random. */
export const demoViewers = async (now: Date): Promise<Record<string, string>> => {
  const random = randomFrom(7)
  const oneOf = <T>(choices: readonly T[]) => choices[Math.floor(random() * choices.length)] as T
  const contents = (await demoContents(now)).filter(openDuring(now, now))
  const titles = contents.filter(({ parent_id }) => parent_id === null)
  const terms = [...new Set(titles.flatMap(title => title.terms))]
  const secondPart = titles.find(({ name }) => name === sequel[1]) as PlayableContent
  const childrenOf = (id: number) => contents.filter(({ parent_id }) => parent_id === id)
  const firstOf = (content: DemoContent): PlayableContent[] => {
    if (isPlayable(content)) return [content]
    const [first] = childrenOf(content.id)
    if (first === undefined || !isPlayable(first)) return first ? firstOf(first) : []
    return childrenOf(content.id)
      .filter(isPlayable)
      .slice(0, 1 + Math.floor(random() * 4))
  }

  const watchedBy = (user_id: number) => {
    const tastes = [oneOf(terms), oneOf(terms)]
    const liked = titles.filter(title => title.terms.some(term => tastes.includes(term)))
    const chosen = new Set(Array.from({ length: titlesEach }, () => oneOf(liked.length > 0 && random() < 0.67 ? liked : titles)))
    const watchedAt = new Map([...chosen].flatMap(firstOf).map(content => [content, now.getTime() - Math.floor(random() * days(40))]))
    const firstPart = [...watchedAt].find(([{ name }]) => name === sequel[0])
    if (firstPart && random() < 0.8) watchedAt.set(secondPart, firstPart[1] + Math.floor(random() * days(2)))
    return [...watchedAt].map(([content, moment]) => {
      const percentage = random() < 0.8 ? 95 : 30
      return {
        user_id,
        content_id: content.id,
        time: Math.round(content.duration * (percentage / 100)),
        percentage,
        updated_at: new Date(moment).toISOString()
      }
    })
  }

  const ids = Array.from({ length: viewers }, (_, n) => firstId + n)
  return {
    'users.ndjson': lines(ids.map(id => ({ id, sub: `viewer-${id}`, name: `Viewer ${id}` }))),
    'history.ndjson': lines(ids.flatMap(watchedBy))
  }
}
