import type { Person } from '../../schemas/people.js'
import { Pacer } from '../overload/pacer.js'
import { firstWhere } from './columns.js'
import type { KnownPerson } from './person-documents.js'
import { byCodeUnits, fold, indexOfNames, type Pause, sortInSteps, WordIndex } from './search/index.js'

/** What is stored of people, in the order of their ids. They may be more than the contents, so these are columns. */
interface PeopleColumns {
  ids: Float64Array
  texts: readonly string[]
  images: readonly (string | null)[]
}

/** The people of the catalogue. Each is a row. */
export class People {
  constructor(
    private readonly columns: PeopleColumns,
    /** The rows in the order of their names without case and accents. */
    readonly byName: Int32Array,
    readonly names: WordIndex
  ) {}

  get size() {
    return this.columns.ids.length
  }

  idAt(row: number) {
    return this.columns.ids[row] as number
  }

  at(row: number): Person {
    const { texts, images } = this.columns
    return { id: this.idAt(row), name: texts[row] as string, image: images[row] as string | null }
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

export const nobody = new People({ ids: new Float64Array(0), texts: [], images: [] }, new Int32Array(0), new WordIndex())

/** Returns `before` if nothing has changed. Otherwise what both have in common is shared, because it takes most of the memory. */
export const readPeople = async (documents: AsyncIterable<KnownPerson>, before: People): Promise<People> => {
  const ids: number[] = []
  const texts: string[] = []
  const images: (string | null)[] = []
  let shared = 0
  for await (const { _id, name, image } of documents) {
    const known = before.byId(_id)
    const [sameName, sameImage] = [known?.name === name, known?.image === image]
    ids.push(_id)
    texts.push(sameName ? (known as Person).name : name)
    images.push(sameImage ? (known as Person).image : image)
    if (sameName && sameImage) shared++
  }
  if (shared === ids.length && shared === before.size) return before

  const pacer = new Pacer()
  const pause = () => pacer.pause()
  const byName = await inOrder(texts, pause)
  return new People({ ids: Float64Array.from(ids), texts, images }, byName, await indexOfNames(texts, pause))
}

/** The rows by name. Of equal names, the lowest id comes first. */
const inOrder = async (names: string[], pause: Pause) => {
  const folded: string[] = []
  for (const [at, name] of names.entries()) {
    if (at % 64 === 0) await pause()
    folded.push(fold(name))
  }
  const compare = (one: number, other: number) => byCodeUnits(folded[one] as string, folded[other] as string) || one - other
  return Int32Array.from(await sortInSteps([...names.keys()], compare, pause))
}
