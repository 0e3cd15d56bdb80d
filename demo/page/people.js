import { h } from './dom.js'
import { onThisHost } from './pieces.js'

/** @typedef {import('./viewer.js').Schemas['Person']} Person */
/** @typedef {import('./viewer.js').Schemas['Credit']} Credit */
/** @typedef {Credit['role']} Role */

/** @type {Record<Role, string>} */
const roles = {
  actor: 'Actor',
  presenter: 'Presenter',
  guest: 'Guest',
  creator: 'Creator',
  director: 'Director',
  writer: 'Writer',
  producer: 'Producer',
  composer: 'Composer'
}
/** The roles of people on the screen. The others are crew. */
const onScreen = ['actor', 'presenter', 'guest']

/** The picture of a person, or their initials. @param {Person} person */
export const portrait = ({ name, image }) => {
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .flatMap(word => [...word].slice(0, 1))
  const place = h('span', { class: 'portrait', 'aria-hidden': 'true' }, initials.join(''))
  if (!image) return place
  const picture = h('img', { src: onThisHost(image), alt: '', loading: 'lazy', decoding: 'async' })
  picture.addEventListener('error', () => picture.remove())
  place.append(picture)
  return place
}

/** @param {Person} person @param {string} kind @param {...import('./dom.js').Child} children */
const link = ({ id }, kind, ...children) => h('a', { class: kind, href: `#person-${id}` }, ...children)

/** @param {Credit} credit */
const castLine = ({ person, role, character }) =>
  h(
    'li',
    {},
    link(
      person,
      'credit',
      portrait(person),
      h('span', { class: 'headline' }, person.name),
      h('span', { class: 'note' }, character ?? (role === 'actor' ? '' : roles[role]))
    )
  )

/** @param {Role} role @param {Credit[]} credits */
const crewLine = (role, credits) =>
  h('div', {}, h('dt', {}, roles[role]), ...credits.map(({ person }) => h('dd', {}, link(person, 'link', person.name))))

/** The cast and crew of a title. Each name links to the titles of that person. @param {Credit[]} credits */
export const castAndCrew = credits => {
  const cast = credits.filter(({ role }) => onScreen.includes(role))
  const crew = Map.groupBy(
    credits.filter(credit => !cast.includes(credit)),
    ({ role }) => role
  )
  return [
    h('h3', { id: 'people-title' }, 'Cast and crew'),
    ...(cast.length > 0 ? [h('ul', { class: 'cast' }, ...cast.map(castLine))] : []),
    ...(crew.size > 0 ? [h('dl', { class: 'crew' }, ...[...crew].map(([role, ofRole]) => crewLine(role, ofRole)))] : [])
  ]
}
