import { walkIn } from './arrow-grid.js'
import { byId, focusCard, h, icon } from './dom.js'
import { isPlayable, progress, resumeTime, titleOf } from './library.js'
import { castAndCrew } from './people.js'
import { bar, picture, saveButton, thumbs } from './pieces.js'
import { player } from './player.js'
import { similarTo } from './similar.js'
import { explain, viewer } from './viewer.js'
import { clock, descriptionOf, lengthOf, lineOf, nameOf, numberOf, ratingOf, typeOf, yearOf } from './words.js'

/** @typedef {import('./viewer.js').Content} Content */

const sheet = /** @type {HTMLDialogElement} */ (byId('sheet'))
let leave = () => {}
/** @type {Content | undefined} */
let shown

/** Where to resume, or the description. @param {Content} content */
const stateOf = content => {
  const time = resumeTime(content.id)
  if (progress.get(content.id)?.plays) return 'Watched'
  return time ? `Resume at ${clock(time)}` : descriptionOf(content)
}

/** @param {Content} content */
const child = content => {
  const { percentage = 0 } = progress.get(content.id) ?? {}
  return h(
    'li',
    {},
    h(
      'button',
      { type: 'button', class: 'child', onclick: () => openSheet(content) },
      h('span', { class: 'picture' }, picture(content, 'backdrop'), percentage ? bar(percentage) : null),
      h('span', { class: 'child-name' }, nameOf(content)),
      h('span', { class: 'note' }, lineOf(numberOf(content), lengthOf(content), stateOf(content)))
    )
  )
}

/** All items of a show, in the order in which they are watched. @param {Content} content */
const partsOf = async content => {
  const parts = []
  for (let page = 1; ; page++) {
    const query = { title: content.id, order_by: /** @type {const} */ ('position'), perPage: 100, page }
    const { collection, meta } = await viewer.get('/contents', { params: { query } })
    parts.push(...collection)
    if (meta.total_count <= page * 100) return parts
  }
}

/** The seasons of a show with their episodes, or the episodes of a season. @param {Content} content */
const sectionsOf = async content => {
  if (isPlayable(content)) return []
  const parts = await partsOf(content)
  /** @param {string} heading @param {Content} parent @param {(part: Content) => boolean} isMeant */
  const section = (heading, parent, isMeant = () => true) => ({
    heading,
    items: parts.filter(part => part.parent_id === parent.id && isMeant(part))
  })
  const seasons = parts.filter(({ type, parent_id }) => type === 'season' && parent_id === content.id)
  const all = [...seasons.map(season => section(nameOf(season), season)), section('Episodes', content, ({ type }) => type !== 'season')]
  return all.filter(({ items }) => items.length > 0)
}

/** A button to resume a show. None for a film, whose player resumes by itself. @param {Content} content */
const resumeOf = async content => {
  if (isPlayable(content) || !(await viewer.user())) return []
  const { collection } = await viewer.get('/continue-watching', { params: { query: { title: content.id } } })
  return collection.map(({ content: next, resume }) =>
    h(
      'button',
      { type: 'button', class: 'primary', onclick: () => openSheet(next) },
      `${resume.time > 0 ? 'Resume' : 'Play'} ${numberOf(next) || nameOf(next)}`
    )
  )
}

/**
 * The genres of a title, each of which shows its titles.
 * @param {{ id: number, name: string }[]} terms
 * @param {HTMLElement} place
 */
const genresOf = (terms, place) => {
  /** @param {{ id: number, name: string }} term */
  const showTitles = async ({ id, name }) => {
    const { collection } = await viewer.get('/contents', { params: { query: { terms: [id], perPage: 24 } } })
    stop()
    place.replaceChildren(h('h3', { tabindex: -1 }, name), h('ul', { class: 'children' }, ...collection.map(child)))
    place.querySelector('h3')?.focus()
  }
  return terms.map(term =>
    h(
      'li',
      {},
      h(
        'button',
        { type: 'button', class: 'quiet', onclick: () => showTitles(term).catch(error => place.append(explain(error))) },
        term.name
      )
    )
  )
}

/**
 * Shows the parts of a show or season, or a player for anything else.
 * @param {Content} content
 * @param {HTMLElement} place
 */
const fill = async (content, place) => {
  const sections = await sectionsOf(content)
  if (sections.length > 0) {
    place.replaceChildren(
      ...sections.flatMap(({ heading, items }) => [h('h3', {}, heading), h('ul', { class: 'children' }, ...items.map(child))])
    )
    return
  }
  const { element, stop } = player(content, await viewer.user(), openSheet)
  leave = stop
  place.replaceChildren(element)
}

/** @param {Content} content */
export const openSheet = async content => {
  stop()
  shown = content
  const actions = h('div', { class: 'actions' }, saveButton(content))
  // An episode has no thumbs if its show cannot be loaded.
  titleOf(content).then(
    title => actions.append(h('span', { class: 'pair' }, ...thumbs(title))),
    () => undefined
  )
  const place = h('div', { class: 'place', 'aria-busy': 'true' }, h('div', { class: 'skeleton line' }))
  const genres = h('ul', { class: 'genres', 'aria-label': 'Genres' })
  const people = h('section', { class: 'place', 'aria-labelledby': 'people-title', hidden: true })
  // The sheet is useful without these buttons.
  resumeOf(content).then(
    buttons => actions.prepend(...buttons),
    () => undefined
  )
  viewer.get('/contents/{contentId}', { params: { path: { contentId: String(content.id) } } }).then(
    ({ terms, credits = [] }) => {
      genres.replaceChildren(...genresOf(terms, place))
      people.hidden = credits.length === 0
      people.replaceChildren(...castAndCrew(credits))
    },
    () => undefined
  )
  sheet.replaceChildren(
    h('div', { class: 'art' }, picture(content, 'backdrop')),
    h('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => sheet.close() }, icon('close')),
    h(
      'div',
      { class: 'about' },
      h('p', { class: 'eyebrow' }, lineOf(typeOf(content), numberOf(content), yearOf(content), lengthOf(content), ratingOf(content))),
      h('h2', { id: 'sheet-title', tabindex: -1 }, nameOf(content)),
      h('p', { class: 'description' }, descriptionOf(content)),
      actions,
      genres,
      place,
      people,
      content.keywords &&
        h('ul', { class: 'keywords', 'aria-label': 'Keywords' }, ...content.keywords.split(', ').map(word => h('li', {}, word))),
      similarTo(content, openSheet)
    )
  )
  if (!sheet.open) sheet.showModal()
  sheet.scrollTop = 0
  byId('sheet-title').focus()
  const show = () =>
    fill(content, place)
      .catch(error =>
        place.replaceChildren(
          h('p', { class: 'error', role: 'alert' }, explain(error)),
          h('button', { type: 'button', class: 'quiet', onclick: show }, 'Try again')
        )
      )
      .finally(() => place.removeAttribute('aria-busy'))
  await show()
}

/** Reloads the open sheet after a sign-in or sign-out, because the position differs between users. */
export const renewSheet = () => {
  if (sheet.open && shown) openSheet(shown)
}

const stop = () => {
  leave()
  leave = () => {}
}
addEventListener('pagehide', stop)
sheet.addEventListener('close', () => {
  stop()
  // The card that opened the sheet may have been replaced meanwhile.
  if (!byId('main').contains(document.activeElement)) focusCard(document, shown?.id)
})
walkIn(sheet)
// A click outside the sheet closes it, and so does a link to another part of the page.
sheet.addEventListener('click', ({ target }) => {
  if (target === sheet || (target instanceof Element && target.closest('a'))) sheet.close()
})
