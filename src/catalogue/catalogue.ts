import { type CatalogueKind, catalogueKinds } from '../data/catalogue.js'
import type { ContentDocument } from '../data/contents.js'
import type { Data } from '../data/index.js'
import type { LegalDocument } from '../data/legal-documents.js'
import type { RailCollectionDocument } from '../data/rail-collections.js'
import { unavailable } from '../errors.js'
import { Pace } from '../overload/pace.js'
import { Waiting } from '../overload/waiting.js'
import { minutes } from '../time.js'
import { type Answer, Answers, type Run } from './answers.js'
import { isOpen } from './availability.js'
import { Broken, type OnBroken } from './broken.js'
import type { Made } from './bytes.js'
import type { Country } from './country.js'
import { Fragments } from './fragments.js'
import { Listing } from './listing.js'
import { readProgrammes, Schedule } from './schedule.js'
import { Search } from './search.js'
import { isServable } from './servable.js'
import { Skeleton } from './skeleton.js'
import { SupportTexts } from './support-texts.js'
import { Terms } from './terms.js'
import { Tree } from './tree.js'
import { isWhole } from './whole-content.js'

/** A long batch or a slower clock may stamp a document before others that were read already. */
const overlap = minutes(1)
/** Stamps alone miss what was stamped still earlier, and removals: all is read anew from time to time. */
const compareEvery = minutes(10)
/** How many searches may wait for their answer, and for how many milliseconds. */
const searchesWaiting = 64
const searchDeadline = 300
/** What is known is still served for so long while the database is away. */
const trustedFor = minutes(1)

interface CatalogueOptions {
  data: Data
  /** Reads what a request shows and memory does not hold. */
  readContents: (ids: number[]) => Promise<ContentDocument[]>
  cacheBytes: number
  onBroken?: OnBroken
}

/** The catalogue as this process knows it, kept up with the database by revisions. */
export class Catalogue {
  terms = new Terms([])
  railCollections: RailCollectionDocument[] = []
  legal = new Map<string, LegalDocument>()
  supportTexts = new SupportTexts([])
  schedule = new Schedule([])
  skeleton = new Skeleton()
  listing = new Listing(this.skeleton)
  readonly fragments: Fragments
  readonly search: Search
  /** To be told of documents that were passed over. */
  readonly broken: Broken
  readonly pace = new Pace()
  private readonly answers = new Answers()

  /** Searches keep a pace of their own, so that no crowd of them delays other lists. */
  private readonly searchPace = new Pace()
  private readonly searches = new Waiting(searchesWaiting, searchDeadline)

  /** Rises whenever anything of the catalogue was read anew. */
  version = 0
  checkedAt = 0
  private grown: { tree: Tree; skeleton: Skeleton; version: number } | undefined
  private comparedAt = 0
  private seen: ReadonlyMap<string, number> = new Map()

  constructor(private readonly options: CatalogueOptions) {
    this.broken = new Broken(options.onBroken ?? (() => undefined))
    this.fragments = new Fragments(
      { skeleton: () => this.skeleton, read: options.readContents, onBroken: ids => this.broken.report('contents', ids) },
      options.cacheBytes
    )
    this.search = new Search(ids => options.data.contents.words(ids))
  }

  /** Reads what has changed since the last time. */
  async refresh() {
    const began = Date.now()
    const revisions = await this.options.data.revisions.read()
    const whole = began - this.comparedAt > compareEvery || this.isBefore(revisions)
    for (const kind of catalogueKinds) {
      if (!whole && revisions.get(kind) === this.seen.get(kind)) continue
      await this.read(kind, whole)
      this.version++
    }
    this.seen = revisions
    this.checkedAt = began
    if (whole) this.comparedAt = began
  }

  /** Whether revisions have gone back, as they do where a backup was restored. */
  private isBefore(revisions: ReadonlyMap<string, number>) {
    return catalogueKinds.some(kind => (revisions.get(kind) ?? 0) < (this.seen.get(kind) ?? 0))
  }

  /** Reads what has changed, and the words of it, which nobody but those who search waits for at a start. */
  async catchUp() {
    await this.refresh()
    await this.search.catchUp(this.skeleton)
  }

  /** Throws where what is known is too old to be served. */
  assertFresh() {
    if (Date.now() - this.checkedAt > trustedFor) throw unavailable()
  }

  /** The answer that `key` names in full, kept for as long as the catalogue and the clock leave it as it is. */
  answer(key: string, make: () => Made | Promise<Made>, run: Run = job => this.pace.run(job)): Answer | Promise<Answer> {
    this.assertFresh()
    const now = Date.now()
    return this.answers.get(key, { version: this.version, now, until: () => this.listing.validUntil(now) }, make, run)
  }

  /** The same for a search: few may wait for theirs, and not for long. */
  searchAnswer(key: string, make: () => Made | Promise<Made>) {
    return this.answer(key, make, job => {
      if (this.searches.isFull) throw unavailable()
      return this.searches.within(this.searchPace.run(job))
    })
  }

  /** The families of contents, worked out anew when the skeleton has changed. */
  get tree() {
    const { skeleton } = this
    if (this.grown?.skeleton !== skeleton || this.grown.version !== skeleton.version) {
      this.grown = { tree: new Tree(skeleton), skeleton, version: skeleton.version }
    }
    return this.grown.tree
  }

  isOpen(id: number, country: Country, now = Date.now()) {
    const row = this.skeleton.row(id)
    return row !== undefined && isOpen(this.skeleton, row, now, country)
  }

  private async read(kind: CatalogueKind, whole: boolean) {
    const { broken } = this
    const { data } = this.options
    switch (kind) {
      case 'contents':
        return this.readContents(whole)
      case 'terms':
        this.terms = new Terms(broken.without(kind, await data.terms.all(), isServable.terms))
        return
      case 'rail_collections':
        this.railCollections = broken.without(kind, await data.railCollections.all(), isServable.rail_collections)
        return
      case 'legal_documents': {
        const documents = broken.without(kind, await data.legalDocuments.all(), isServable.legal_documents)
        this.legal = new Map(documents.map(document => [document._id, document]))
        return
      }
      case 'support_texts':
        this.supportTexts = new SupportTexts(broken.without(kind, await data.supportTexts.all(), isServable.support_texts))
        return
      case 'programmes':
        this.schedule = new Schedule(await readProgrammes(data.programmes.all(), ids => broken.report(kind, ids)))
    }
  }

  private async readContents(whole: boolean) {
    if (!whole) {
      await this.fill(this.skeleton, new Date(this.skeleton.latestStamp - overlap))
      return
    }
    const skeleton = new Skeleton()
    await this.fill(skeleton)
    // Most comparisons find nothing new: what was worked out from the skeleton then stays.
    if (skeleton.isLike(this.skeleton)) return
    this.skeleton = skeleton
    this.listing = new Listing(skeleton)
  }

  private async fill(skeleton: Skeleton, since?: Date) {
    const { contents } = this.options.data
    const broken: unknown[] = []
    let read = 0
    for await (const content of contents.bones(since)) {
      read++
      if (isWhole(content)) skeleton.put(content)
      else broken.push(content._id)
    }
    // A look through all of them, only to name some, is made where there are some.
    if (since || (await contents.size()) > read) broken.push(...(await contents.unsendable(since)))
    for (const id of broken) skeleton.close(id as number)
    this.broken.report('contents', broken)
  }
}
