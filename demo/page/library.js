import { emit, events, viewer } from './viewer.js'

/**
 * How far the signed-in user has watched each content item, by content id. Cards show it as a progress bar or a tick.
 * @typedef {{ time: number, percentage: number, plays: number, previous?: { time: number } | null | undefined }} Progress
 * @type {Map<number, Progress>}
 */
export const progress = new Map()
/** The watchlist elements, by content id. @type {Map<number, number>} */
export const saved = new Map()
/** What the user thinks of titles, by content id. @type {Map<number, import('../../client/index.js').Rating>} */
export const ratings = new Map()
/** The content ids of cards whose title was just hidden. The cards stay until their row is loaded again, so that hiding can be undone. */
export const hidden = new Set()

/** @param {Progress & { content_id: number }} element */
export const remember = ({ content_id, time, percentage, plays, previous }) =>
  progress.set(content_id, { time, percentage, plays, previous })

/** Where to start playing, in seconds. @param {number} content_id */
export const resumeTime = content_id => {
  const { time = 0, previous } = progress.get(content_id) ?? {}
  return previous?.time ?? time
}

const most = { params: { query: { perPage: 100 } } }

export const loadLibrary = async () => {
  const user = await viewer.user()
  const lists = () => Promise.all([viewer.get('/history', most), viewer.get('/watchlist', most), viewer.ratings({ perPage: 100 })])
  const [history, watchlist, rated] = user ? await lists() : []
  progress.clear()
  saved.clear()
  ratings.clear()
  for (const element of history?.collection ?? []) remember(element)
  for (const { content_id, id } of watchlist?.collection ?? []) saved.set(content_id, id)
  for (const { content_id, rating } of rated?.collection ?? []) ratings.set(content_id, rating)
}

/** @typedef {import('../../client/index.js').Copy} Copy */

/** Whether the copy has something that the page does not know yet. @param {Copy} copy */
const hasNews = ({ history, watchlist, ratings: rated }) =>
  history.length !== progress.size ||
  watchlist.length !== saved.size ||
  rated.length !== ratings.size ||
  history.some(({ content_id, time }) => progress.get(content_id)?.time !== time) ||
  watchlist.some(({ content_id, id }) => saved.get(content_id) !== id) ||
  rated.some(({ content_id, rating }) => ratings.get(content_id) !== rating)

/** @param {Copy} copy */
const take = ({ history, watchlist, ratings: rated }) => {
  progress.clear()
  saved.clear()
  ratings.clear()
  for (const element of history) remember(element)
  for (const { content_id, id } of watchlist) saved.set(content_id, id)
  for (const { content_id, rating } of rated) ratings.set(content_id, rating)
}

/** Follows what other windows and devices of the user do. */
export const followLibrary = async () => {
  if (!(await viewer.user())) return
  const onCopy = (/** @type {Copy} */ copy) => {
    if (!hasNews(copy)) return
    take(copy)
    emit('elsewhere')
  }
  await viewer.sync({ live: true, onCopy }).then(take, () => undefined)
}

/** @param {number} content_id */
export const toggleSaved = async content_id => {
  const element = saved.get(content_id)
  if (element === undefined) {
    await viewer.post('/watchlist', { body: { content_id } })
    const { collection } = await viewer.get('/watchlist', { params: { query: { content_id: [content_id] } } })
    for (const { id } of collection) saved.set(content_id, id)
  } else {
    await viewer.delete('/watchlist/{elementId}', { params: { path: { elementId: String(element) } } })
    saved.delete(content_id)
  }
  emit('saved')
}

/** Rates a title, or removes the rating. @param {number} content_id @param {import('../../client/index.js').Rating} rating */
export const toggleRated = async (content_id, rating) => {
  const isBack = ratings.get(content_id) === rating
  const { state, error } = await (isBack ? viewer.unrate(content_id) : viewer.rate(content_id, rating))
  if (state === 'refused') throw error
  if (isBack) ratings.delete(content_id)
  else ratings.set(content_id, rating)
  emit('rated')
}

/** The title of an item: the show of an episode or season, or the item itself. @param {import('./viewer.js').Content} content */
export const titleOf = async content => {
  let title = content
  while (title.parent_id) title = await viewer.get('/contents/{contentId}', { params: { path: { contentId: String(title.parent_id) } } })
  return title
}

/** @param {number} content_id */
export const toggleHidden = async content_id => {
  if (hidden.has(content_id)) {
    await viewer.unhide(content_id)
    hidden.delete(content_id)
  } else {
    await viewer.hide(content_id)
    hidden.add(content_id)
  }
  emit('hidden')
}

/**
 * Reports the position of the player to the service.
 * @param {import('./viewer.js').Content} content
 * @param {number} time
 * @param {number} duration
 */
export const reportPosition = async ({ id }, time, duration) => {
  const percentage = Math.min(100, Math.round((1000 * time) / duration) / 10)
  // Only the service knows which report completes the item. The history that is loaded afterwards shows it.
  remember({ plays: 0, ...progress.get(id), content_id: id, time, percentage })
  const outcome = await viewer.report({ content_id: id, time, percentage })
  emit('watched')
  return outcome
}

/** In minutes. @type {Record<string, number>} */
const usual = { film: 96, documentary: 58, episode: 28, clip: 4, live: 90 }

/** Whether the item itself can be played, unlike a show, whose parts can. @param {import('./viewer.js').Content} content */
export const isPlayable = ({ type }) => type in usual

/**
 * The length of a content item in seconds. If the catalogue lacks it, it is derived from time and percentage once the item was watched.
 * @param {import('./viewer.js').Content} content
 */
export const durationOf = ({ id, type, duration }) => {
  if (duration) return Math.max(1, Math.round(duration))
  const { time = 0, percentage = 0 } = progress.get(id) ?? {}
  if (time > 0 && percentage > 0) return Math.max(1, Math.round((100 * time) / percentage))
  return 60 * (usual[type] ?? 45)
}

events.addEventListener('session', () => {
  progress.clear()
  saved.clear()
  ratings.clear()
  hidden.clear()
})
