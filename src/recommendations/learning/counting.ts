import type { Data } from '../../data/index.js'
import { anywhere } from '../../data/popularity.js'
import { days } from '../../time.js'

const halfLife = days(7)
/** Older views count next to nothing. */
const countedAge = days(60)
/** No list of popular contents needs more. */
const maxContents = 10_000

/** Counts the recent views of every content, per country and worldwide, and stores the counts for all processes. */
export const countPopularity = async ({ allHistories, popularity }: Pick<Data, 'allHistories' | 'popularity'>) => {
  const began = Date.now()
  const countries = new Map<string, Map<number, number>>([[anywhere, new Map()]])
  const add = (country: string, content_id: number, views: number) => {
    const counts = countries.get(country) ?? new Map<number, number>()
    countries.set(country, counts.set(content_id, (counts.get(content_id) ?? 0) + views))
  }
  for (const { content_id, country, views } of await allHistories.views(new Date(began - countedAge), halfLife)) {
    add(anywhere, content_id, views)
    if (country !== null) add(country, content_id, views)
  }

  const took = Date.now() - began
  await popularity.save(
    [...countries].map(([_id, counts]) => {
      const top = [...counts].sort(([a, views], [b, others]) => others - views || a - b).slice(0, maxContents)
      return { _id, content_ids: top.map(([id]) => id), views: top.map(([, views]) => views), took }
    })
  )
}
