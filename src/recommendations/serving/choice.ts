import type { Country } from '../../catalogue/country.js'

/** How many open titles are chosen and for which country. The excluded ones, rows of the skeleton, do not qualify. */
export interface Choice {
  country: Country | undefined
  count: number
  excluded: ReadonlySet<number>
  now: number
}
