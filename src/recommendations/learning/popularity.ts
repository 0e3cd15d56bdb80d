import type { Data } from '../../database/data.js'
import type { Lease } from '../../database/leases.js'
import { days } from '../../time.js'
import { anywhere } from '../popularity-documents.js'

const halfLife = days(7)
/** Older views hardly count. */
const countedAge = days(60)
/** No list of popular items needs more. */
const maxContents = 10_000

/** Views by content id. */
type Counts = Map<number, number>

const mostViewed = (counts: Counts) => [...counts].sort(([a, views], [b, others]) => others - views || a - b).slice(0, maxContents)

/** Counts the recent views of every item, per country and worldwide, and stores the counts for all processes. */
export const countPopularity = async (
  { allHistories, popularity }: Pick<Data, 'allHistories' | 'popularity'>,
  confirm?: Lease['confirm']
) => {
  const began = Date.now()
  const countries = new Map<string, Counts>([[anywhere, new Map()]])
  const add = (country: string, content_id: number, views: number) => {
    const counts: Counts = countries.get(country) ?? new Map()
    countries.set(country, counts.set(content_id, (counts.get(content_id) ?? 0) + views))
  }
  for await (const { content_id, country, views } of allHistories.views(new Date(began - countedAge), halfLife)) {
    add(anywhere, content_id, views)
    if (country !== null) add(country, content_id, views)
  }

  const took = Date.now() - began
  await confirm?.()
  await popularity.keepOnly([...countries.keys()])
  // `*` comes last, because its `counted_at` marks the count as complete.
  for (const _id of [...countries.keys()].reverse()) {
    const top = mostViewed(countries.get(_id) as Counts)
    await popularity.save({ _id, content_ids: top.map(([id]) => id), views: top.map(([, views]) => views), took })
  }
}
