import { ImageUrl } from '../../schemas/content-fields.js'
import type { ContentDocument } from '../catalogue/content-documents.js'
import { existingLanguages } from '../http/languages.js'
import { minutes } from '../time.js'
import { ratings, roles } from './roku-vocabulary.js'

const longestTitle = 200
const longestShortDescription = 200
const longestDescription = 500
const longestShortForm = minutes(15) / 1000

export interface RokuOptions {
  country: string
  language: string
  license: string
  quality: string
  /** The genres that each term stands for. */
  genres: ReadonlyMap<number, readonly string[]>
}

const fields = [
  'parent_id',
  'type',
  'name',
  'title',
  'description',
  'thumbnail',
  'terms',
  'end_date',
  'duration',
  'season',
  'episode',
  'year',
  'images',
  'age_ratings',
  'credits'
] as const satisfies readonly (keyof ContentDocument)[]

/** The fields of an item that the feed reads. */
export type FeedContent = Pick<ContentDocument, '_id' | (typeof fields)[number]>
export const feedProjection = Object.fromEntries(fields.map(name => [name, 1]))

/** What seasons inherit from their show, and episodes from both. */
interface Inherited {
  /** The show, unless it is left out. */
  seriesId?: string | undefined
  seasonNumber?: number | undefined
  year?: number | undefined
  main?: string | undefined
  background?: string | undefined
}

interface Facts extends Inherited {
  kind: string
  title: string
  description: string
}

const kinds = new Map([
  ['movie', 'movie'],
  ['film', 'movie'],
  ['show', 'series'],
  ['season', 'season'],
  ['episode', 'episode']
])

const kindOf = ({ type, duration }: FeedContent) => kinds.get(type) ?? ((duration ?? 0) <= longestShortForm ? 'shortForm' : 'tvSpecial')

const isBelowShow = (kind: string) => kind === 'season' || kind === 'episode'
const isPlayed = (kind: string) => kind !== 'series' && kind !== 'season'

/** The schema only accepts a scheme in lower case. */
const imageUrl = new RegExp(ImageUrl.pattern as string)
const usable = (url: string) => (imageUrl.test(url) && URL.canParse(url) ? url.replace(/^\w+/, scheme => scheme.toLowerCase()) : undefined)

const imageOf = ({ images }: FeedContent, kind: string) => usable(images?.find(image => image.kind === kind)?.url ?? '')

const mainImage = (content: FeedContent) => imageOf(content, 'poster') ?? imageOf(content, 'thumbnail') ?? usable(content.thumbnail)

/** The text in the language, or else in the more general one, such as `en` for `en-us`. */
const textIn = (texts: Record<string, string>, language: string) => {
  const byLanguage = new Map(Object.entries(texts).map(([code, text]) => [code.toLowerCase(), text.trim()]))
  const [found = ''] = existingLanguages([language], code => Boolean(byLanguage.get(code)))
  return byLanguage.get(found) ?? ''
}

/** One rating per system, although several countries may use the same system. */
const ratingsOf = ({ age_ratings }: FeedContent) => {
  const known = (age_ratings ?? [])
    .map(({ system, value }) => ({ source: system.toUpperCase(), value: value.toUpperCase() }))
    .filter(({ source, value }) => ratings.get(source)?.includes(value))
  return known.filter(({ source }, at) => known.findIndex(other => other.source === source) === at)
}

/** Each person once in a role, although an actor may play several characters. */
const creditsOf = ({ credits }: FeedContent, names: ReadonlyMap<number, string>) => {
  const known = new Map<string, { name: string; role: string }>()
  for (const { person_id, role: ours } of credits ?? []) {
    const name = names.get(person_id)
    const role = roles.get(ours)
    if (name !== undefined && role !== undefined) known.set(`${role} ${person_id}`, { name, role })
  }
  return [...known.values()]
}

const unlessEmpty = <T>(list: T[]) => (list.length > 0 ? list : undefined)

const count = (counts: Map<string, number>, words: string[]) => {
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
}

const missingIn = (found: Record<string, unknown>) =>
  Object.entries(found).flatMap(([word, value]) => (value === undefined || value === '' ? [`no ${word}`] : []))

/** Why an item cannot be in the feed. */
const reasonsAgainst = ({ kind, title, year, main, seriesId, seasonNumber }: Facts, { duration, episode }: FeedContent) =>
  missingIn({
    title,
    year,
    image: main,
    ...(isPlayed(kind) && { duration: duration ?? undefined }),
    ...(isBelowShow(kind) && { number: kind === 'season' ? seasonNumber : (episode ?? undefined), series: seriesId })
  })

/**
 * The search feed of Roku, version 1. Contains what is available: shows first, then seasons, then all others, because a season or episode
 * can only be in the feed if its show is.
 */
export class RokuFeed {
  /** How many items of each kind are in the feed. */
  readonly kinds = new Map<string, number>()
  /** How many items lack something. One item may lack several things. */
  readonly reasons = new Map<string, number>()
  readonly warnings = new Map<string, number>()
  size = 0
  leftOut = 0
  private readonly inherited = new Map<number, Inherited>()
  private readonly words: Intl.Segmenter

  constructor(private readonly options: RokuOptions) {
    this.words = new Intl.Segmenter(options.language, { granularity: 'word' })
  }

  begin() {
    const { language, country } = this.options
    const root = JSON.stringify({ version: '1', defaultLanguage: language, defaultAvailabilityCountries: [country] })
    return `${root.slice(0, -1)},"assets":[`
  }

  /** The JSON of an item, or an empty string if it is left out. `names` are those of people. */
  add(content: FeedContent, names: ReadonlyMap<number, string>) {
    const facts = this.factsOf(content)
    const reasons = reasonsAgainst(facts, content)
    const isIn = reasons.length === 0
    if (!isPlayed(facts.kind)) this.bequeath(content._id, facts, isIn)
    if (isIn) return `${this.size++ === 0 ? '' : ','}\n${JSON.stringify(this.assetOf(content, facts, names))}`
    this.leftOut++
    count(this.reasons, reasons)
    return ''
  }

  /** Only passes on what episodes inherit from a season that is not available. */
  pass(season: FeedContent) {
    this.bequeath(season._id, this.factsOf(season), false)
    return ''
  }

  end() {
    return '\n]}\n'
  }

  private factsOf(content: FeedContent): Facts {
    const { language } = this.options
    const kind = kindOf(content)
    const above = (isBelowShow(kind) && this.inherited.get(content.parent_id ?? 0)) || {}
    const main = mainImage(content)
    return {
      kind,
      title: textIn(content.title, language) || content.name.trim(),
      description: textIn(content.description, language),
      seriesId: above.seriesId,
      seasonNumber: content.season ?? above.seasonNumber,
      year: content.year ?? above.year,
      main: main ?? above.main,
      background: imageOf(content, 'backdrop') ?? (main ? undefined : above.background)
    }
  }

  private bequeath(id: number, { kind, seriesId, seasonNumber, year, main, background }: Facts, isIn: boolean) {
    const series = kind === 'series' && isIn ? String(id) : seriesId
    this.inherited.set(id, { seriesId: series, seasonNumber, year, main, background })
  }

  private assetOf(
    content: FeedContent,
    { kind, title, description, seriesId, seasonNumber, year, main, background }: Facts,
    names: ReadonlyMap<number, string>
  ) {
    const { genres } = this.options
    const id = String(content._id)
    const asset = {
      id,
      type: kind,
      titles: [{ value: this.cut(title, longestTitle) }],
      ...this.descriptionsOf(description),
      releaseYear: year,
      genres: unlessEmpty([...new Set((content.terms ?? []).flatMap(term => genres.get(term) ?? []))]),
      credits: unlessEmpty(creditsOf(content, names)),
      advisoryRatings: unlessEmpty(ratingsOf(content)),
      images: [{ type: 'main', url: main }, ...(background ? [{ type: 'background', url: background }] : [])],
      seasonInfo: kind === 'season' ? { seriesId, seasonNumber } : undefined,
      episodeInfo: kind === 'episode' ? { seriesId, seasonNumber, episodeNumber: content.episode } : undefined,
      ...(isPlayed(kind) && this.playOf(content))
    }
    count(this.kinds, [kind])
    count(this.warnings, missingIn({ genre: asset.genres, 'short description': description, rating: asset.advisoryRatings }))
    return asset
  }

  private descriptionsOf(description: string) {
    const short = this.cut(description, longestShortDescription)
    return {
      shortDescriptions: unlessEmpty([short].filter(Boolean).map(value => ({ value }))),
      longDescriptions: short === description ? undefined : [{ value: this.cut(description, longestDescription) }]
    }
  }

  private playOf({ _id, duration, end_date }: FeedContent) {
    const { license, quality } = this.options
    return {
      // The schema requires an integer, and no item takes 0 seconds.
      durationInSeconds: Math.max(1, Math.round(duration as number)),
      content: { playOptions: [{ license, quality, playId: String(_id), availabilityEndTime: end_date?.toISOString() }] }
    }
  }

  /** Truncates a text with too many code points before the first word that does not fit. Scripts without spaces have words, too. */
  private cut(text: string, most: number) {
    const [head] = new RegExp(`^.{0,${most}}`, 'su').exec(text) as RegExpExecArray
    if (head.length === text.length) return text
    const { index } = this.words.segment(text).containing(head.length) as Intl.SegmentData
    return text.slice(0, index).trimEnd() || head
  }
}
