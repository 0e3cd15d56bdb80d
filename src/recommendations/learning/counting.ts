import type { Data } from '../../data/index.js'
import { anywhere } from '../../data/popularity.js'
import { days } from '../../time.js'

const halfLife = days(7)
/** A view of then counts so little that it is left out. */
const forgotten = days(60)
/** A list of what is popular needs no more. */
const most = 10_000

/** Counts the recent views of every content, by country and anywhere, and stores them for all processes. */
export const countPopularity = async ({ history, popularity }: Pick<Data, 'history' | 'popularity'>) => {
  const began = Date.now()
  const countries = new Map<string, Map<number, number>>([[anywhere, new Map()]])
  const add = (country: string, content_id: number, views: number) => {
    const counts = countries.get(country) ?? new Map<number, number>()
    countries.set(country, counts.set(content_id, (counts.get(content_id) ?? 0) + views))
  }
  for (const { content_id, country, views } of await history.views(new Date(began - forgotten), halfLife)) {
    add(anywhere, content_id, views)
    if (country !== null) add(country, content_id, views)
  }

  const took = Date.now() - began
  await popularity.save(
    [...countries].map(([_id, counts]) => {
      const first = [...counts].sort(([a, views], [b, others]) => others - views || a - b).slice(0, most)
      return { _id, content_ids: first.map(([id]) => id), views: first.map(([, views]) => views), took }
    })
  )
}
