import { card, skeletons } from './cards.js'
import { byId, h, icon } from './dom.js'
import { grid, makeRoom, showResults, showTrouble } from './results.js'
import { askToSignIn } from './sign-in.js'
import { viewer } from './viewer.js'
import { inHours, lineOf, nameOf, typeOf } from './words.js'

/** @typedef {import('./viewer.js').Schemas['Year']} Year */

const firstYear = 1970
const month = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

const addressed = () => /^#year-(\d{4})$/.exec(location.hash)?.[1]

/** @param {number} plays */
const times = plays => (plays === 1 ? 'once' : `${plays} times`)

/** @param {number} year @param {...import('./dom.js').Child} children */
const link = (year, ...children) => h('a', { class: 'quiet', href: `#year-${year}` }, ...children)

/** The years before and after. @param {number} year */
const neighbours = year =>
  h(
    'nav',
    { class: 'tools', 'aria-label': 'Years' },
    year > firstYear && link(year - 1, icon('back'), year - 1),
    year < new Date().getFullYear() && link(year + 1, year + 1, icon('forward'))
  )

/** @param {string} name @param {string | number} value */
const fact = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, value))

/** @param {Year} year */
const factsOf = ({ plays, minutes, titles }) =>
  h(
    'dl',
    { class: 'facts' },
    fact('Watched to the end', times(plays)),
    fact('Length of what you finished', inHours(minutes)),
    fact('Films and shows', titles)
  )

/** @param {Year} year */
const monthsOf = ({ year, by_month }) => {
  const longest = Math.max(...by_month.map(({ minutes }) => minutes))
  /** @param {Year['by_month'][number]} sums @param {number} n */
  const line = ({ plays, minutes }, n) => {
    const bar = h('span', { class: 'month', 'aria-hidden': 'true' })
    bar.style.setProperty('--share', String(longest && minutes / longest))
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, month.format(Date.UTC(year, n))),
      h('td', {}, h('span', { class: 'length' }, bar, inHours(minutes))),
      h('td', {}, plays)
    )
  }
  return h(
    'table',
    { class: 'months' },
    h('caption', { class: 'unseen' }, `What you finished in ${year}, by month`),
    h(
      'thead',
      {},
      h('tr', {}, h('th', { scope: 'col' }, 'Month'), h('th', { scope: 'col' }, 'Length'), h('th', { scope: 'col' }, 'Plays'))
    ),
    h('tbody', {}, ...by_month.map(line))
  )
}

/** @param {Year['top'][number]} title */
const topCard = ({ content, plays, minutes }) =>
  card(content, { name: h('span', { class: 'headline' }, nameOf(content)), note: lineOf(typeOf(content), times(plays), inHours(minutes)) })

/** @param {Year['terms'][number]} term */
const termLine = ({ name, minutes }) => h('li', {}, lineOf(name, inHours(minutes)))

/** @param {Year} year */
const partsOf = year => [
  factsOf(year),
  h('h2', {}, 'Month by month'),
  monthsOf(year),
  h('h2', {}, 'Your titles of the year'),
  grid(year.top.map(topCard)),
  ...(year.terms.length > 0 ? [h('h2', {}, 'What they are about'), h('ul', { class: 'keywords' }, ...year.terms.map(termLine))] : [])
]

/** @param {number} year */
const nothing = year => grid([h('li', { class: 'empty' }, `You watched nothing to the end in ${year}.`)])

const invitation = () =>
  h(
    'div',
    { class: 'tools' },
    h('button', { type: 'button', class: 'primary', onclick: () => askToSignIn('Sign in to see your year.') }, 'Sign in')
  )

/** Shows what the user finished in the year in the address of the page. */
export const showYear = async () => {
  const given = addressed()
  if (!given) return
  const signal = makeRoom(true)
  const heading = `Your year ${given}`
  if (!(await viewer.user())) return showResults(heading, invitation())
  showResults(heading, grid(skeletons(8)))
  scrollTo(0, 0)
  try {
    const year = await viewer.year(Number(given), { timezone: timeZone })
    if (signal.aborted) return
    showResults(heading, neighbours(year.year), ...(year.plays > 0 ? partsOf(year) : [nothing(year.year)]))
    byId('found').focus()
  } catch (error) {
    if (signal.aborted) return
    const { status } = /** @type {{ status?: number }} */ (error)
    showTrouble(status === 404 ? 'There is no such year' : 'No response', error, showYear)
  }
}

addEventListener('hashchange', showYear)
