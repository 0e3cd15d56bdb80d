import type { Person } from '../../schemas/people.js'
import { Pacer } from '../overload/pacer.js'
import { firstWhere } from './columns.js'
import type { KnownPerson } from './person-documents.js'
import { byCodeUnits, fold, indexOfNames, type Pause, sortInSteps, WordIndex } from './search/index.js'

/** What is kept of people, in the order of their ids. There may be more people than contents, so these are columns. */
interface PeopleColumns {
  ids: Float64Array
  names: readonly string[]
  images: readonly (string | null)[]
}

/** The people of the catalogue. Each is a row. */
export class People {
  constructor(
    private readonly columns: PeopleColumns,
    /** The rows in the order of their names, ignoring case and accents. */
    readonly byName: Int32Array,
    readonly nameIndex: WordIndex
  ) {}

  get size() {
    return this.columns.ids.length
  }

  idAt(row: number) {
    return this.columns.ids[row] as number
  }

  at(row: number): Person {
    const { names, images } = this.columns
    return { id: this.idAt(row), name: names[row] as string, image: images[row] as string | null }
  }

  row(id: number) {
    const { ids } = this.columns
    const row = firstWhere(ids.length, n => (ids[n] as number) >= id)
    return ids[row] === id ? row : undefined
  }

  byId(id: number) {
    const row = this.row(id)
    return row === undefined ? undefined : this.at(row)
  }
}

export const nobody = new People({ ids: new Float64Array(0), names: [], images: [] }, new Int32Array(0), new WordIndex())

/** The people of the database. */
interface Source {
  known: (since?: Date) => AsyncIterable<KnownPerson>
  count: () => Promise<number>
}

/** Reads all people, or only those written since a moment. If somebody was removed, all are read, because nothing else shows who it was. */
export const readPeople = async (source: Source, before: People, since?: Date): Promise<People> => {
  if (since === undefined) return peopleFrom(source.known(), before)
  const written: KnownPerson[] = []
  for await (const person of source.known(since)) written.push(person)
  const people = await peopleFrom(merged(before, written), before)
  return people.size === (await source.count()) ? people : readPeople(source, before)
}

/** Both are in the order of ids. Of two with the same id, the written one wins. */
function* merged(before: People, written: KnownPerson[]): Generator<KnownPerson> {
  let next = 0
  for (let row = 0; row < before.size; row++) {
    const { id, ...person } = before.at(row)
    for (let one = written[next]; one && one._id < id; one = written[++next]) yield one
    if (written[next]?._id === id) yield written[next++] as KnownPerson
    else yield { _id: id, ...person }
  }
  yield* written.slice(next)
}

/** Returns `before` if nothing has changed. Reuses what stays the same, because making it again would take most of the time. */
const peopleFrom = async (documents: AsyncIterable<KnownPerson> | Iterable<KnownPerson>, before: People): Promise<People> => {
  const pacer = new Pacer()
  const pause = () => pacer.pause()
  const ids: number[] = []
  const names: string[] = []
  const images: (string | null)[] = []
  /** The current row of each earlier person whose name has not changed. */
  const moved = new Int32Array(before.size).fill(gone)
  const named: number[] = []
  let same = 0
  for await (const { _id, name, image } of documents) {
    if (ids.length % 64 === 0) await pause()
    const row = before.row(_id)
    const known = row === undefined ? undefined : before.at(row)
    if (known?.name === name) moved[row as number] = ids.length
    else named.push(ids.length)
    if (known?.name === name && known.image === image) same++
    ids.push(_id)
    // Equal strings are reused, so that most of the memory is shared.
    names.push(known?.name === name ? known.name : name)
    images.push(known?.image === image ? known.image : image)
  }
  if (same === ids.length && same === before.size) return before

  const indexed = named.map(row => [row, names[row] as string] as const)
  const stayed = Array.from(before.byName, row => moved[row] as number).filter(row => row !== gone)
  return new People(
    { ids: Float64Array.from(ids), names, images },
    await inOrder([...stayed, ...named], names, pause),
    await indexOfNames(indexed, pause, before.nameIndex, moved)
  )
}

const gone = -1

/** The rows by name. Among equal names, the lowest id comes first. */
const inOrder = async (rows: number[], names: string[], pause: Pause) => {
  const folded: string[] = []
  for (const [row, name] of names.entries()) {
    if (row % 64 === 0) await pause()
    folded.push(fold(name))
  }
  const compare = (one: number, other: number) => byCodeUnits(folded[one] as string, folded[other] as string) || one - other
  return Int32Array.from(await sortInSteps(rows, compare, pause))
}
