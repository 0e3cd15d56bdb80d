import type { ProgressUpdate } from '../../schemas/history.js'
import { moment } from '../time.js'

/** What a player reports. */
export interface Progress {
  time?: number | undefined
  percentage?: number | undefined
  /** When the player was there. Defaults to now, and counts as now if the player's clock runs ahead. */
  observed_at?: Date | undefined
  country?: string | undefined
}

export const progressOf = ({ time, percentage, observed_at }: ProgressUpdate, country: string | undefined): Progress => ({
  time,
  percentage,
  country,
  observed_at: observed_at === undefined ? undefined : moment(observed_at)
})

/**
 * The update that applies a report to a history element, new or existing. Of two reports, the one observed later wins, in
 * whatever order they arrive. The database's clock decides, because the clocks of server processes differ.
 *
 * A report without `observed_at` always wins. `$$NOW` alone would not ensure that: it is fixed when the operation starts, and
 * another update that started later may reach the element first.
 */
export const progressUpdate = ({ time, percentage, observed_at, country }: Progress) => {
  const observed = observed_at ? { $min: [observed_at, '$$NOW'] } : { $max: ['$updated_at', '$$NOW'] }
  const isNewer = { $lte: [{ $ifNull: ['$updated_at', observed] }, observed] }
  const latest = (field: string, value: number | undefined) =>
    value === undefined ? { $ifNull: [`$${field}`, 0] } : { $cond: [isNewer, value, `$${field}`] }
  return [
    {
      $set: {
        time: latest('time', time),
        percentage: latest('percentage', percentage),
        created_at: { $ifNull: ['$created_at', observed] },
        updated_at: { $cond: [isNewer, observed, '$updated_at'] },
        ...(country && { country: { $cond: [isNewer, country, '$country'] } })
      }
    }
  ]
}
