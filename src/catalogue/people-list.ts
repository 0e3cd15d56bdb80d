import type { PeopleQuery } from '../../schemas/people.js'
import { orThrow, resourceNotFound } from '../errors.js'
import { ok, pageMeta } from '../http/reply.js'
import { everybody, isAvailable } from './audience.js'
import { jsonAnswer, pageAnswer, partsOf } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { distinct, ranked, select } from './columns.js'
import type { People } from './people.js'
import { type Match, type Matches, type Pause, selectMatches, sortInSteps, wholeOf } from './search/index.js'
import type { Skeleton } from './skeleton.js'

export const personAnswer = (catalogue: Catalogue, id: number) => {
  // A catalogue that is out of date may lack a person, so it must not answer with a 404.
  catalogue.assertFresh()
  const person = orThrow(catalogue.people.byId(id), resourceNotFound)
  return catalogue.answer(`person ${id}`, () => jsonAnswer(ok(person)))
}

/** One page of GET /people: by name, or the best matches first, and of equal matches those with the most open titles. */
export const peopleAnswer = (catalogue: Catalogue, openTitles: OpenTitles, query: PeopleQuery) => {
  const { search, page, perPage } = query
  const ids = distinct(query.ids, id => catalogue.people.row(id) !== undefined)
  const key = JSON.stringify(['people', ids, search, page, perPage])
  if (search === undefined) return catalogue.answer(key, () => pageOf(catalogue.people, catalogue.people.byName, query))

  const make = () => {
    const { people } = catalogue
    const { size, names } = people
    const pause = catalogue.search.pauses()
    const match: Match = (best, word, withTypos) => names.match(best, word, withTypos, pause)
    const select = async (matches: Matches) => {
      const ranks = ranksOf(people, matches, search)
      const rows = ranked(people.byName, ranks)
      const counts = await openTitles.of(people, rows, pause)
      const bestFirst = (one: number, other: number) =>
        (ranks[one] as number) - (ranks[other] as number) || (counts[other] as number) - (counts[one] as number)
      return pageOf(people, await sortInSteps([...rows], bestFirst, pause), query)
    }
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

const unknown = -1

/**
 * How many open titles have each person in their credits, whatever countries and ages the titles are for. A content counts as its title.
 * Counted for each person when it is first needed, and again when the catalogue has changed, or a content has begun or ended.
 */
export class OpenTitles {
  private counts = new Int32Array(0)
  private people: People | undefined
  private skeleton: Skeleton | undefined
  private version = -1
  private until = 0

  constructor(private readonly catalogue: Catalogue) {}

  /** By row of `people`, at least for these rows. */
  async of(people: People, rows: Int32Array, pause: Pause) {
    this.dropOutdated(people)
    const { counts } = this
    for (const [at, row] of rows.entries()) {
      if (at % 64 === 0) await pause()
      if (counts[row] === unknown) counts[row] = this.countOf(people.idAt(row))
    }
    return counts
  }

  private dropOutdated(people: People) {
    const { skeleton, listing } = this.catalogue
    const now = Date.now()
    const isCurrent = this.people === people && this.skeleton === skeleton && this.version === skeleton.version && now < this.until
    if (isCurrent) return
    this.counts = new Int32Array(people.size).fill(unknown)
    this.people = people
    this.skeleton = skeleton
    this.version = skeleton.version
    this.until = listing.validUntil(now)
  }

  private countOf(person: number) {
    const { skeleton, tree } = this.catalogue
    const now = Date.now()
    const isOpen = (row: number) => isAvailable(skeleton, row, now, everybody)
    const titles = new Set<number>()
    for (const row of skeleton.people.rowsOf(person)) if (isOpen(row) && isOpen(tree.title(row))) titles.add(tree.title(row))
    return titles.size
  }
}
