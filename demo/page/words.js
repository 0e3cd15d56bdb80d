/** @typedef {import('./viewer.js').Content} Content */

const language = navigator.language.slice(0, 2)
/** If only the language is known, the region where most people speak it. */
const { region } = new Intl.Locale(navigator.language).maximize()

/** @param {Content} content */
export const nameOf = ({ title, name }) => title[language] ?? name
/** @param {Content} content */
export const descriptionOf = ({ description }) => description[language] ?? description.en ?? ''
/** @param {Content} content */
export const typeOf = ({ type }) => type.charAt(0).toUpperCase() + type.slice(1)

/** The number of an episode, as S1 E2 or E2. @param {Content} content */
export const numberOf = ({ season, episode }) =>
  episode === undefined ? '' : season === undefined ? `E${episode}` : `S${season} E${episode}`

/** Minutes as 1 h 25 min. @param {number} minutes */
export const inHours = minutes => (minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`)

/** The duration, as 1 h 25 min. @param {Content} content */
export const lengthOf = ({ duration = 0 }) => {
  if (duration === 0) return ''
  if (duration < 60) return `${Math.ceil(duration)} s`
  return inHours(Math.round(duration / 60))
}

/** @param {Content} content */
export const yearOf = ({ year }) => (year ? String(year) : '')

/** The rating in the viewer's country, or else the first one. Without ratings, the minimum age. @param {Content} content */
export const ratingOf = ({ age_ratings = [], min_age }) => {
  const rating = age_ratings.find(({ country }) => country === region) ?? age_ratings[0]
  if (!rating) return min_age ? `From ${min_age}` : ''
  const { system, value } = rating
  return Number.isNaN(Number(value)) ? value : `${system} ${value}`
}

/** An age limit in words. @param {number} age */
export const limitOf = age => (age === 0 ? 'For all ages' : `Up to ${age}`)

/** @param {number} seconds */
export const inMinutes = seconds => (seconds > 90 ? `in ${Math.ceil(seconds / 60)} minutes` : 'in a minute')

/** The known facts, on one line. @param {string[]} facts */
export const lineOf = (...facts) => facts.filter(Boolean).join(' · ')

/**
 * Seconds as 1:02:03.
 * @param {number} seconds
 */
export const clock = seconds => {
  const whole = Math.round(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const [hours, ...rest] = parts
  const shown = hours ? parts : rest
  return shown.map((part, n) => (n === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

/**
 * Seconds, worded for screen readers.
 * @param {number} seconds
 */
export const spoken = seconds => `${Math.floor(seconds / 60)} minutes ${Math.round(seconds % 60)} seconds`

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60]
]

/** @param {string} timestamp */
export const ago = timestamp => {
  const seconds = (Date.parse(timestamp) - Date.now()) / 1000
  const [unit, length] = units.find(([, length]) => -seconds >= length) ?? ['second', 1]
  return unit === 'second' ? 'just now' : relative.format(Math.round(seconds / length), unit)
}

const hour = new Intl.DateTimeFormat(navigator.language, { hour: '2-digit', minute: '2-digit' })
/** @param {string} timestamp */
export const timeOfDay = timestamp => hour.format(new Date(timestamp))
