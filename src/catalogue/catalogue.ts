import type { Data } from '../database/data.js'
import { unavailable } from '../errors.js'
import { Pacer } from '../overload/pacer.js'
import { minutes } from '../time.js'
import { type Audience, type IsShown, isAvailable, isWithinAge } from './audience.js'
import type { AnswerBody } from './bytes.js'
import { type ContentDocument, fitsSkeleton } from './content-documents.js'
import { Fragments } from './fragments.js'
import { type CatalogueKind, catalogueKinds } from './kinds.js'
import type { LegalDocument } from './legal-documents.js'
import { Listing, noViews, type Views } from './listing.js'
import { nobody, readPeople } from './people.js'
import { type EventualResponse, ResponseCache, type RunInTurn } from './public-responses.js'
import type { RailCollectionDocument } from './rail-collections.js'
import { readProgrammes, Schedule } from './schedule.js'
import { Search } from './search/index.js'
import { BrokenContents, type OnBroken } from './servable.js'
import { Skeleton } from './skeleton.js'
import { Terms } from './terms.js'
import { SupportTexts } from './texts.js'
import { treeOf } from './tree.js'

/**
 * How far before the latest stamp a read of changes starts. After a long batch, or with a slow clock, a document may have an earlier
 * stamp than others that were written before it.
 */
const overlap = minutes(1)
/** How often everything is read, to find removals, and documents with stamps from before the overlap. */
const fullReadEvery = minutes(10)
/** How long the catalogue in memory is served while the database is unavailable. */
const staleAfter = minutes(1)

interface CatalogueOptions {
  data: Data
  readContents: (ids: number[]) => AsyncIterable<ContentDocument>
  cacheBytes: number
  onBroken?: OnBroken
  /** Called for each search that is rejected because the queue is full. */
  onSearchRefused?: () => void
}

/** The catalogue in memory. Revisions say which collections to reload. */
export class Catalogue {
  terms = new Terms([])
  people = nobody
  railCollections: RailCollectionDocument[] = []
  legal = new Map<string, LegalDocument>()
  supportTexts = new SupportTexts([])
  schedule = new Schedule([])
  skeleton = new Skeleton()
  /** Set by the recommendations, which count views. */
  views: Views = noViews
  listing = new Listing(this.skeleton, () => this.views)
  readonly fragments: Fragments
  readonly search: Search
  private readonly broken: BrokenContents
  readonly pacer = new Pacer()
  private readonly reading = new Pacer()
  private readonly answers = new ResponseCache()

  /** Incremented whenever a collection is reloaded, to invalidate responses. */
  version = 0
  /** When a check last succeeded, or last received a document. Decides whether the catalogue is fresh enough to be served. */
  checkedAt = 0
  private isFailing = false

  // These decide what the next check reads. A failed read does not change them.
  /** The revisions before the last check that succeeded. */
  private seen: ReadonlyMap<string, number> = new Map()
  /** When the last full read began. 0 if one is due. */
  private fullReadAt = 0
  /** The latest stamps before the last read. What that read missed has later ones. */
  private readonly latestStamps = { contents: 0, people: 0 }

  constructor(private readonly options: CatalogueOptions) {
    this.broken = new BrokenContents(options.onBroken ?? (() => undefined))
    this.fragments = new Fragments(
      { skeleton: () => this.skeleton, read: options.readContents, onBroken: ids => this.broken.report(ids) },
      options.cacheBytes
    )
    this.search = new Search(ids => options.data.contents.words(ids), options.onSearchRefused)
  }

  /** Reloads what has changed since the last call that succeeded. */
  async refresh() {
    try {
      await this.readChanges()
      this.checkedAt = Date.now()
      this.isFailing = false
    } catch (error) {
      this.isFailing = true
      throw error
    }
  }

  private async readChanges() {
    const began = Date.now()
    const revisions = await this.options.data.revisions.read()
    // A full read stays due if it fails, even if the revisions have risen again by the next attempt.
    if (this.hasGoneBack(revisions)) this.fullReadAt = 0
    const full = began - this.fullReadAt > fullReadEvery
    for (const kind of catalogueKinds) {
      if (!full && revisions.get(kind) === this.seen.get(kind)) continue
      await this.read(kind, full)
      this.version++
    }
    this.seen = revisions
    if (full) this.fullReadAt = began
  }

  /** Revisions go back when a backup is restored. */
  private hasGoneBack(revisions: ReadonlyMap<string, number>) {
    return catalogueKinds.some(kind => (revisions.get(kind) ?? 0) < (this.seen.get(kind) ?? 0))
  }

  /** Throws if the catalogue in memory is too old to be served. */
  assertFresh() {
    if (Date.now() - this.checkedAt > staleAfter) throw unavailable()
  }

  /** How long a selection of contents is valid, including searches. */
  selectionValidity() {
    const { version, skeleton, search } = this
    const now = Date.now()
    return { version: `${version} ${skeleton.version} ${search.version}`, now, until: () => this.listing.validUntil(now) }
  }

  /** The cached response, or the one that `make` returns. Equal keys must mean equal responses from the same catalogue. */
  answer<T>(
    key: string,
    make: () => AnswerBody<T> | Promise<AnswerBody<T>>,
    run: RunInTurn = job => this.pacer.run(job)
  ): EventualResponse<T> {
    this.assertFresh()
    const now = Date.now()
    // A new country or age splits segments of the audience immediately, but `version` only rises once all contents have been read.
    const { countries, minAges } = this.skeleton
    const version = `${this.version} ${countries.size} ${minAges.size}`
    return this.answers.get(key, { version, now, until: () => this.listing.validUntil(now) }, make, run)
  }

  /** Built when it is first used after a change. */
  get tree() {
    return treeOf(this.skeleton)
  }

  /** Throws a 503 if the catalogue is too old to tell. */
  isAvailable(id: number, audience: Audience, now = Date.now()) {
    this.assertFresh()
    const row = this.skeleton.row(id)
    return row !== undefined && isAvailable(this.skeleton, row, now, audience)
  }

  /** The current id of an item, if the item is available. */
  availableId(id: number, audience: Audience) {
    const current = this.skeleton.currentId(id)
    return this.isAvailable(current, audience) ? current : undefined
  }

  get contentsRevision() {
    return this.seen.get('contents') ?? 0
  }

  /** Selects contents within the age limit, available or not. Undefined if there is no limit; then nothing is filtered. */
  ageFilterFor({ maxAge }: Audience): IsShown | undefined {
    if (maxAge === undefined) return undefined
    this.assertFresh()
    const { skeleton } = this
    return id => {
      const row = skeleton.row(id)
      return row !== undefined && isWithinAge(skeleton, row, maxAge)
    }
  }

  private async read(kind: CatalogueKind, full: boolean) {
    const { data } = this.options
    switch (kind) {
      case 'contents':
        return this.readContents(full)
      case 'terms':
        this.terms = new Terms(await data.terms.all())
        return
      case 'people':
        return this.readPeople(full)
      case 'rail_collections':
        this.railCollections = await data.railCollections.all()
        return
      case 'legal_documents':
        this.legal = new Map((await data.legalDocuments.all()).map(document => [document._id, document]))
        return
      case 'support_texts':
        this.supportTexts = new SupportTexts(await data.supportTexts.all())
        return
      // The last case is the default, so that a new collection without a case does not compile.
      default:
        kind satisfies 'programmes'
        this.schedule = new Schedule(await readProgrammes(data.programmes.all()))
    }
  }

  private async readContents(full: boolean) {
    const latestStamp = await this.options.data.contents.latestStamp()
    if (full) await this.readAllContents()
    else await this.fill(this.skeleton, new Date(this.latestStamps.contents - overlap))
    this.latestStamps.contents = latestStamp
  }

  private async readPeople(full: boolean) {
    const { people } = this.options.data
    const latestStamp = await people.latestStamp()
    const source = { ...people, known: (since?: Date) => this.keepingFresh(people.known(since)) }
    this.people = await readPeople(source, this.people, full ? undefined : new Date(this.latestStamps.people - overlap))
    this.latestStamps.people = latestStamp
  }

  private async readAllContents() {
    const skeleton = new Skeleton()
    await this.fill(skeleton)
    // Usually nothing is new. Then the current skeleton stays, with everything derived from it.
    if (skeleton.isLike(this.skeleton)) return
    this.skeleton = skeleton
    this.listing = new Listing(skeleton, () => this.views)
  }

  private async fill(skeleton: Skeleton, since?: Date) {
    const { contents } = this.options.data
    const broken: unknown[] = []
    let read = 0
    for await (const content of this.keepingFresh(contents.forSkeleton(since))) {
      read++
      if (fitsSkeleton(content)) skeleton.put(content)
      else broken.push(content._id)
    }
    if (since) broken.push(...(await contents.unservable(since)))
    // A new skeleton has no broken contents to mark. This scan of the collection is only for the log, so it may fail.
    else if ((await contents.size()) > read) broken.push(...(await contents.unservable().catch(() => [])))
    for (const id of broken) skeleton.markBroken(id as number)
    this.broken.report(broken)
  }

  /**
   * Counts each document that arrives as a sign that the database responds. Reading a large catalogue, or what a large import has written,
   * may take minutes, and the catalogue in memory must not become stale meanwhile. But it must if the reads never succeed. Pauses, because
   * a batch of documents would block the event loop.
   */
  private async *keepingFresh<T>(documents: AsyncIterable<T>) {
    let read = 0
    for await (const document of documents) {
      if (!this.isFailing) this.checkedAt = Date.now()
      if (read++ % 64 === 0) await this.reading.pause()
      yield document
    }
  }
}
