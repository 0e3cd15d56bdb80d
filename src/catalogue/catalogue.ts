import { setTimeout as sleep } from 'node:timers/promises'
import { type CatalogueKind, catalogueKinds } from '../data/catalogue.js'
import { isWhole } from '../data/content-shape.js'
import type { ContentDocument } from '../data/contents.js'
import type { Data } from '../data/index.js'
import type { LegalDocument } from '../data/legal-documents.js'
import type { RailCollectionDocument } from '../data/rail-collections.js'
import type { SupportTextDocument } from '../data/support-texts.js'
import type { TermDocument } from '../data/terms.js'
import { unavailable } from '../errors.js'
import { Jobs } from '../jobs.js'
import { minutes, seconds } from '../time.js'
import { type Answer, Answers } from './answers.js'
import { type Country, isOpen } from './availability.js'
import { Broken, type OnBroken } from './broken.js'
import { Fragments } from './fragments.js'
import { Listing } from './listing.js'
import { readProgrammes, type Schedule } from './schedule.js'
import { Search } from './search.js'
import { isServable } from './servable.js'
import { Skeleton } from './skeleton.js'
import { Tree } from './tree.js'

const pollEvery = seconds(1)
/** A long batch or a slower clock may stamp a document before others that were read already. */
const overlap = minutes(1)
/** Stamps alone miss what was stamped still earlier, and removals: all is read anew from time to time. */
const compareEvery = minutes(10)
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
  terms: TermDocument[] = []
  railCollections: RailCollectionDocument[] = []
  legal = new Map<string, LegalDocument>()
  supportTexts: SupportTextDocument[] = []
  schedule: Schedule = []
  skeleton = new Skeleton()
  listing = new Listing(this.skeleton)
  readonly fragments: Fragments
  readonly search: Search
  /** To be told of documents that were passed over. */
  readonly broken: Broken
  private readonly answers = new Answers()

  /** What is made for public lists, a few at once; searches apart from them, so that neither waits for a crowd of the other. */
  readonly lists = new Jobs({ atOnce: 4 })
  readonly searches = new Jobs({ atOnce: 2, waiting: 64, deadline: 300 })

  /** Rises whenever anything of the catalogue was read anew. */
  version = 0
  checkedAt = 0
  private grown: { tree: Tree; skeleton: Skeleton; version: number } | undefined
  private comparedAt = 0
  private doubts = 0
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
    const { doubts } = this
    const revisions = await this.options.data.revisions.read()
    const whole = began - this.comparedAt > compareEvery
    for (const kind of catalogueKinds) {
      if (!whole && revisions.get(kind) === this.seen.get(kind)) continue
      await this.read(kind, whole)
      this.version++
    }
    this.seen = revisions
    this.checkedAt = began
    // What was read before a doubt that came in the middle is as doubtful as before.
    if (whole && doubts === this.doubts) this.comparedAt = began
  }

  /** Refreshes once a second until it is told to stop. Of failures in a row only the first is told. */
  async follow(signal: AbortSignal, onFailure: (error: unknown) => void) {
    let failing = false
    const tell = (error: unknown) => {
      if (!failing && !signal.aborted) onFailure(error)
      failing = true
    }
    while (!signal.aborted) {
      // After the start, so that nobody but those who search waits for the words of a large catalogue.
      await this.search.catchUp(this.skeleton).catch(tell)
      await sleep(pollEvery, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      await this.refresh().then(() => {
        failing = false
      }, tell)
    }
  }

  /** Another primary may lack what the last one had not yet replicated. */
  distrust() {
    this.doubts++
    this.comparedAt = 0
  }

  /** Throws where what is known is too old to be served. */
  assertFresh() {
    if (Date.now() - this.checkedAt > trustedFor) throw unavailable()
  }

  /** The answer that `key` names in full, kept for as long as the catalogue and the clock leave it as it is. What is kept never waits for what is being made. */
  answer(key: string, make: () => Buffer | Promise<Buffer>, jobs = this.lists): Answer | Promise<Answer> {
    this.assertFresh()
    const now = Date.now()
    return this.answers.get(
      key,
      this.version,
      now,
      () => this.listing.validUntil(now),
      () => jobs.run(make)
    )
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
        this.terms = broken.without(kind, await data.terms.all(), isServable.terms)
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
        this.supportTexts = broken.without(kind, await data.supportTexts.all(), isServable.support_texts)
        return
      case 'programmes':
        this.schedule = await readProgrammes(data.programmes.all(), ids => broken.report(kind, ids))
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
    const unsendable = new Set(await contents.unsendable(since))
    const broken: unknown[] = []
    for await (const content of contents.bones(since)) {
      if (isWhole(content) && !unsendable.has(content._id)) skeleton.put(content)
      else {
        skeleton.close(content._id)
        broken.push(content._id)
      }
    }
    this.broken.report('contents', broken)
  }
}
