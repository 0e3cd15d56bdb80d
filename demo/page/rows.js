import { card } from './cards.js'
import { isLimited, whoWatches } from './household.js'
import { ratings } from './library.js'
import { viewer } from './viewer.js'
import { clock, descriptionOf, lengthOf, lineOf, nameOf, numberOf, typeOf } from './words.js'

/** @typedef {import('./viewer.js').Content} Content */
/** @typedef {import('../../client/index.js').HomeRow} HomeRow */
/** @typedef {HomeRow['kind']} Kind */
/** @typedef {Extract<HomeRow, { kind: 'recommended' }>['items'][number]} Recommended */

/** A liked title counts like one that was watched. @param {{ content_id: number, name: string }} title */
const becauseOf = ({ content_id, name }) => `Because you ${ratings.get(content_id) === 'like' ? 'like' : 'watched'} ${name}`

/** @param {Recommended} recommended @returns {string} */
export const reasonOf = ({ reason }) => {
  switch (reason.type) {
    case 'watched':
      return becauseOf(reason)
    case 'popular':
      return 'Popular now'
  }
}

/** @param {HomeRow} row @param {{ name: string } | undefined} user @returns {string} */
export const titleOf = (row, user) => {
  const name = whoWatches()?.name ?? user?.name
  const isForChild = isLimited(whoWatches())
  switch (row.kind) {
    case 'continue_watching':
      return isForChild ? 'Keep watching' : 'Continue watching'
    case 'recommended':
      return isForChild ? `Picked for you, ${name}` : `Recommended for ${name}`
    case 'because':
      return becauseOf(row.because)
    case 'watchlist':
      return 'Your watchlist'
    case 'popular':
      if (isForChild) return 'What everybody watches'
      // For a user, other rows have taken some of them.
      return user ? 'Most watched of the rest' : 'Most watched'
    case 'new':
      return isForChild ? 'Brand new' : 'New'
    case 'rail':
      return row.name
  }
}

/** The texts of rows that are shown even if they are empty. @type {Partial<Record<Kind, string>>} */
export const emptyTexts = {
  continue_watching: 'Nothing started yet. Open a title and drag its player, and it appears here.',
  watchlist: 'Nothing saved yet. Press the plus on a title to save it for later.'
}

/** The shows and seasons of these contents, by id. @param {Content[]} contents @returns {Promise<Map<number, Content>>} */
export const parentsOf = async contents => {
  const ids = [...new Set(contents.flatMap(({ parent_id }) => parent_id ?? []))]
  if (ids.length === 0) return new Map()
  const { collection } = await viewer.get('/contents', { params: { query: { ids, perPage: 100 } } })
  return new Map(collection.map(content => [content.id, content]))
}

/** @param {import('./viewer.js').Schemas['ContinueWatchingCard'][]} items */
const continueCards = async items => {
  const parents = await parentsOf(items.map(({ content }) => content))
  return items.map(({ content, reason, resume, is_new }) => {
    const parent = parents.get(content.parent_id ?? 0)
    return card(content, {
      headline: parent ? nameOf(parent) : nameOf(content),
      note: lineOf(numberOf(content), reason === 'next' ? 'Next episode' : `Resume at ${clock(resume.time)}`),
      percentage: resume.percentage,
      badge: is_new ? 'New episode' : undefined,
      mayHide: true
    })
  })
}

/** @param {Content} content */
const factsOf = content => lineOf(typeOf(content), lengthOf(content))

/** The cards of a row. Only a user can hide suggestions. @param {HomeRow} row @param {boolean} mayHide */
export const cardsOf = async (row, mayHide) => {
  switch (row.kind) {
    case 'continue_watching':
      return continueCards(row.items)
    case 'recommended':
      return row.items.map(item => card(item.content, { note: reasonOf(item), badge: item.recent ? 'New' : undefined, mayHide }))
    case 'because':
      return row.items.map(({ content, recent }) => card(content, { note: factsOf(content), badge: recent ? 'New' : undefined, mayHide }))
    case 'popular':
      return row.items.map(({ content }, n) => card(content, { note: factsOf(content), rank: n + 1, mayHide }))
    case 'new':
      return row.items.map(({ content }) => card(content, { note: factsOf(content), mayHide }))
    case 'watchlist':
      return row.items.map(({ content }) => card(content, { note: factsOf(content) }))
    case 'rail':
      return row.items.map(({ content }) => card(content, { note: descriptionOf(content) }))
  }
}

/**
 * Further cards of a row, page by page. Rows of other kinds only show their first items.
 * @param {HomeRow} row @param {number} page @param {number} perPage
 * @returns {Promise<import('./rail.js').Page>}
 */
export const furtherCards = async (row, page, perPage) => {
  const query = { page, perPage }
  switch (row.kind) {
    case 'continue_watching': {
      const { collection, meta } = await viewer.get('/continue-watching', { params: { query } })
      return { cards: await continueCards(collection), next: meta.next_page }
    }
    case 'watchlist': {
      const { collection, meta } = await viewer.get('/watchlist', { params: { query } })
      return { cards: collection.map(({ content }) => card(content, { note: factsOf(content) })), next: meta.next_page }
    }
    case 'rail': {
      const { collection, meta } = await viewer.railContents(new URL(row.more, location.href).href, query)
      return { cards: collection.map(content => card(content, { note: descriptionOf(content) })), next: meta.next_page }
    }
    default:
      return { cards: [], next: false }
  }
}
