import type { PeopleQuery } from '../../schemas/people.js'
import { orThrow, resourceNotFound } from '../errors.js'
import { ok, pageMeta } from '../http/reply.js'
import { Pacer } from '../overload/pacer.js'
import { everybody, isAvailable } from './audience.js'
import { jsonAnswer, pageAnswer, partsOf } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { distinct, ranked, select } from './columns.js'
import type { People } from './people.js'
import { type Match, type Matches, selectMatches, sortInSteps, wholeOf } from './search/index.js'
import type { Skeleton } from './skeleton.js'
import { treeOf } from './tree.js'

export const personAnswer = (catalogue: Catalogue, id: number) => {
  // A catalogue that is out of date may lack a person, so it must not return 404.
  catalogue.assertFresh()
  const person = orThrow(catalogue.people.byId(id), resourceNotFound)
  return catalogue.answer(`person ${id}`, () => jsonAnswer(ok(person)))
}

/** One page of GET /people: by name, or the best matches first, and among equal matches those with the most available titles. */
export const peopleAnswer = (catalogue: Catalogue, openTitles: OpenTitles, query: PeopleQuery) => {
  const { search, page, perPage } = query
  const ids = distinct(query.ids, id => catalogue.people.row(id) !== undefined)
  const key = JSON.stringify(['people', ids, search, page, perPage])
  if (search === undefined) return catalogue.answer(key, () => pageOf(catalogue.people, catalogue.people.byName, query))

  const make = () => {
    const { people } = catalogue
    const { size, nameIndex } = people
    const pause = catalogue.search.pauses()
    const match: Match = (best, word, withTypos) => nameIndex.match(best, word, withTypos, pause)
    const select = async (matches: Matches) => {
      const ranks = ranksOf(people, matches, search)
      const titlesOf = await openTitles.current()
      const found: Found[] = []
      for (const row of ranked(people.byName, ranks)) {
        if (found.length % step === 0) await pause()
        found.push({ row, rank: ranks[row] as number, titles: titlesOf(people.idAt(row)) })
      }
      const bestFirst = await sortInSteps(found, (one, other) => one.rank - other.rank || other.titles - one.titles, pause)
      const rows = bestFirst.map(({ row }) => row)
      return pageOf(people, rows, query)
    }
    return selectMatches({ search, size, match, select, pause })
  }
  return catalogue.answer(key, make, job => catalogue.search.inTurn(job))
}

/** How many people are processed between two pauses: a fraction of a millisecond. */
const step = 1024

interface Found {
  row: number
  rank: number
  titles: number
}

const ranksOf = ({ size, nameIndex }: People, { rows, qualities }: Matches, search: string) => {
  const ranks = new Uint8Array(size)
  for (const row of rows) ranks[row] = (qualities[row] as number) + 2
  for (const posting of nameIndex.of(wholeOf(search))) ranks[posting >>> 2] = 1
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

interface Counted {
  skeleton: Skeleton
  version: number
  until: number
  /** From the id of a person to the number of titles. */
  count: Promise<(id: number) => number>
}

/**
 * How many available titles credit each person, in any country and for any age. An item counts as its title. Counted on first use after the
 * catalogue has changed, or an item has started or ended.
 */
export class OpenTitles {
  private readonly pacer = new Pacer()
  private counted: Counted | undefined

  constructor(private readonly catalogue: Catalogue) {}

  current() {
    const { skeleton, listing } = this.catalogue
    const { version } = skeleton
    const now = Date.now()
    if (this.counted?.skeleton !== skeleton || this.counted.version !== version || now >= this.counted.until)
      this.counted = { skeleton, version, until: listing.validUntil(now), count: this.count(skeleton, now) }
    return this.counted.count
  }

  private async count(skeleton: Skeleton, now: number) {
    const { people } = skeleton
    const tree = treeOf(skeleton)
    const counts = new Uint32Array(people.people)
    const countedFor = new Int32Array(people.people).fill(-1)
    const isOpen = (row: number) => isAvailable(skeleton, row, now, everybody)
    const countTitle = (title: number) => {
      const countOnce = (person: number) => {
        if (countedFor[person] !== title) counts[person] = (counts[person] as number) + 1
        countedFor[person] = title
      }
      for (const content of tree.contents(title)) if (isOpen(content)) people.eachPerson(content, countOnce)
    }
    for (let row = 0; row < skeleton.size; row++) {
      if (row % 64 === 0) await this.pacer.pause()
      if (tree.title(row) === row && isOpen(row)) countTitle(row)
    }
    return (id: number) => {
      const person = people.number(id)
      return person === undefined ? 0 : (counts[person] as number)
    }
  }
}
