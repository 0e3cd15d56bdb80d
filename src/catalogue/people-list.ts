import type { PeopleQuery } from '../../schemas/people.js'
import { orThrow, resourceNotFound } from '../errors.js'
import { ok, pageMeta } from '../http/reply.js'
import { Pacer } from '../overload/pacer.js'
import { ValidCache } from './answers.js'
import { everybody, isAvailable } from './audience.js'
import { jsonAnswer, pageAnswer, partsOf } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { distinct, ranked, select } from './columns.js'
import type { People } from './people.js'
import { type Match, type Matches, selectMatches, sortInSteps, wholeOf } from './search/index.js'

export const personAnswer = (catalogue: Catalogue, id: number) => {
  // A catalogue that is out of date may lack a person, so it must not answer with a 404.
  catalogue.assertFresh()
  const person = orThrow(catalogue.people.byId(id), resourceNotFound)
  return catalogue.answer(`person ${id}`, () => jsonAnswer(ok(person)))
}

/** One page of GET /people: by name, or the best matches first, and of equal matches those with the most open titles. */
export const peopleAnswer = (catalogue: Catalogue, byTitles: PeopleByTitles, query: PeopleQuery) => {
  const { search, page, perPage } = query
  const ids = distinct(query.ids, id => catalogue.people.row(id) !== undefined)
  const key = JSON.stringify(['people', ids, search, page, perPage])
  if (search === undefined) return catalogue.answer(key, () => pageOf(catalogue.people, catalogue.people.byName, query))

  const make = async () => {
    const { people, rows } = await byTitles.ordered()
    const { size, names } = people
    const pause = catalogue.search.pauses()
    const match: Match = (best, word, withTypos) => names.match(best, word, withTypos, pause)
    const select = (matches: Matches) => pageOf(people, ranked(rows, ranksOf(people, matches, search)), query)
    return selectMatches({ search, size, match, select, pause })
  }
  return catalogue.answer(key, make, job => catalogue.search.inTurn(job))
}

const ranksOf = ({ size, names }: People, { rows, qualities }: Matches, search: string) => {
  const ranks = new Uint8Array(size)
  for (const row of rows) ranks[row] = (qualities[row] as number) + 2
  for (const posting of names.of(wholeOf(search))) ranks[posting >>> 2] = 1
  return ranks
}

const pageOf = (people: People, rows: ArrayLike<number>, query: PeopleQuery) => {
  const { shown, total } = select(query.ids ? among(people, rows, query.ids) : rows, [], query)
  const elements = shown.map(row => partsOf(people.at(row)))
  return { ...pageAnswer(elements, pageMeta(query, total)), total }
}

const among = (people: People, rows: ArrayLike<number>, ids: number[]) => {
  const named = new Set(ids.map(id => people.row(id)))
  return Array.from(rows).filter(row => named.has(row))
}

/** There is only one order. */
const cacheBytes = 1

interface Ordered {
  people: People
  rows: Int32Array
}

/** The people in the order of their open titles, those with the most first, and of equal numbers by name. */
export class PeopleByTitles {
  private readonly kept = new ValidCache<Ordered>(cacheBytes, () => 0)
  private readonly pacer = new Pacer()

  constructor(private readonly catalogue: Catalogue) {}

  /** Made again when the catalogue has changed, or a content has begun or ended. */
  ordered() {
    const { version, skeleton, listing } = this.catalogue
    const now = Date.now()
    const validity = { version: `${version} ${skeleton.version}`, now, until: () => listing.validUntil(now) }
    const make = async () => ({ value: await this.sorted(this.catalogue.people, now), isKept: true })
    return this.kept.get('', validity, make, job => this.pacer.run(job))
  }

  private async sorted(people: People, now: number): Promise<Ordered> {
    const counts = await this.countsOf(people, now)
    const mostFirst = (one: number, other: number) => (counts[other] as number) - (counts[one] as number)
    return { people, rows: Int32Array.from(await sortInSteps([...people.byName], mostFirst, () => this.pacer.pause())) }
  }

  /** How many open titles each person has, whatever countries and ages they are for. A content counts as its title. */
  private async countsOf(people: People, now: number) {
    const { skeleton, tree } = this.catalogue
    const isOpen = (row: number) => isAvailable(skeleton, row, now, everybody)
    const counts = new Uint32Array(people.size)
    for (let at = 0; at < people.size; at++) {
      const titles = new Set<number>()
      for (const row of skeleton.people.rowsOf(people.idAt(at))) if (isOpen(row) && isOpen(tree.title(row))) titles.add(tree.title(row))
      counts[at] = titles.size
      await this.pacer.pause()
    }
    return counts
  }
}
