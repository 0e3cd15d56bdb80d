import type { Audience } from '../../catalogue/audience.js'

/** How many open titles to choose, and for whom. The excluded titles, rows of the skeleton, do not qualify. */
export interface TitleRequest {
  audience: Audience
  count: number
  excluded: ReadonlySet<number>
  now: number
}
