import { byId } from './dom.js'
import { showHero, showHeroSkeleton, showHeroTrouble } from './hero.js'
import { announce } from './notice.js'
import { rail } from './rail.js'
import { cardsOf, emptyTexts, furtherCards, reasonOf, titleOf } from './rows.js'
import { hidesWatched, showUnwatchedSwitch } from './unwatched.js'
import { events, explain, viewer } from './viewer.js'

/** @typedef {import('./rows.js').HomeRow} HomeRow */
/** @typedef {import('./viewer.js').Schemas['User'] | undefined} User */

const places = { personal: byId('personal'), rails: byId('rails') }
const items = 12

/** The `mname` of the collection whose rails are shown. If undefined, those of all collections. @type {string | undefined} */
let chosen
/** The rows as of the last request, by their keys. @type {Map<string, HomeRow>} */
let latest = new Map()
/** The rails on the page, by the same keys. @type {Map<string, ReturnType<typeof rail>>} */
let shown = new Map()

/** @param {HomeRow} row */
const keyOf = ({ kind, name, because, more }) => JSON.stringify([kind, name, because?.content_id, more])

/** Adds the user's own rows if they are empty, so that the page can say what belongs there. @param {HomeRow[]} rows @returns {HomeRow[]} */
const withEmptyRows = rows => {
  const none = { name: null, because: null, items: [] }
  const given = new Set(rows.map(({ kind }) => kind))
  const [first, last] = [
    { kind: /** @type {const} */ ('continue_watching'), more: '/continue-watching', ...none },
    { kind: /** @type {const} */ ('watchlist'), more: '/watchlist', ...none }
  ]
  const at = rows.findIndex(({ kind }) => kind === 'popular' || kind === 'new' || kind === 'rail')
  const place = at === -1 ? rows.length : at
  return [
    ...(given.has('continue_watching') ? [] : [first]),
    ...rows.slice(0, place),
    ...(given.has('watchlist') ? [] : [last]),
    ...rows.slice(place)
  ]
}

/** @param {string} key @param {User} user */
const railOf = (key, user) => {
  const row = /** @type {HomeRow} */ (latest.get(key))
  const empty = emptyTexts[row.kind]
  const reportSeen = async (/** @type {number} */ contentId) => {
    // While the rows of the next user are being loaded, those of the last one are still shown.
    if ((await viewer.user())?.id === user?.id) viewer.reportSeen(contentId)
  }
  return rail({
    title: titleOf(row, user),
    isRanked: row.kind === 'popular',
    ...(empty && { empty }),
    ...((row.kind === 'recommended' || row.kind === 'because') && { onSeen: reportSeen }),
    load: async page => {
      const row = latest.get(key)
      if (!row) return { cards: [], next: false }
      if (page > 1) return furtherCards(row, page, items)
      return { cards: await cardsOf(row, Boolean(user)), next: row.items.length === items && 2 }
    }
  })
}

/** Shows the rows. Existing rows keep their places, with new cards. @param {HomeRow[]} rows @param {User} user */
const showRows = (rows, user) => {
  latest = new Map(rows.map(row => [keyOf(row), row]))
  const isSame = [...latest.keys()].join() === [...shown.keys()].join()
  if (isSame) {
    for (const { reload } of shown.values()) reload()
    return
  }
  const before = shown
  shown = new Map([...latest.keys()].map(key => [key, before.get(key) ?? railOf(key, user)]))
  const sections = (/** @type {boolean} */ ofRails) =>
    [...shown].flatMap(([key, { section }]) => ((latest.get(key)?.kind === 'rail') === ofRails ? [section] : []))
  places.personal.replaceChildren(...sections(false))
  places.rails.replaceChildren(...sections(true))
  for (const key of latest.keys()) before.get(key)?.reload()
}

/** Shows the first recommendation, or the most popular title, in the hero. @param {HomeRow[]} rows @param {User} user */
const showPicked = (rows, user) => {
  const recommended = rows.find(row => row.kind === 'recommended')?.items[0]
  const item = recommended ?? rows.find(row => row.kind === 'popular')?.items[0]
  showHero(item?.content, recommended ? reasonOf(recommended) : 'Popular now', user)
}

/** Reads the whole start page in one call, and shows it. */
const refresh = async () => {
  const user = await viewer.user()
  const { rows, missing } = await viewer.home({
    items,
    ...(chosen !== undefined && { collection: chosen }),
    ...(hidesWatched(user) && { watched: /** @type {const} */ (false) })
  })
  showPicked(rows, user)
  showRows(user && missing.length === 0 ? withEmptyRows(rows) : rows, user)
  if (missing.length > 0) announce('Your own rows are missing, because the service could not read them just now.', 'warning')
}

/** Shows everything that depends on the signed-in user. */
export const showHome = async () => {
  shown = new Map()
  showHeroSkeleton()
  showUnwatchedSwitch(await viewer.user(), refresh)
  await refresh().catch(error => showHeroTrouble(error, showHome))
}

/** @param {string} mname of a collection */
export const chooseCollection = async mname => {
  chosen = mname
  await refresh().catch(error => announce(explain(error), 'warning'))
  places.rails.scrollIntoView()
}

const renew = () => refresh().catch(() => undefined)
for (const event of ['watched', 'saved', 'unhidden', 'elsewhere']) events.addEventListener(event, renew)
