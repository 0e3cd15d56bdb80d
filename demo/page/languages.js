import { h, icon } from './dom.js'
import { explain, viewer } from './viewer.js'

/** @typedef {'audio' | 'subtitles'} Kind */

/** The simulated player has sound and subtitles in all languages of the demo catalogue. */
const tags = ['en', 'de', 'nl', 'sv']
/** @type {Record<Kind, { title: string, choices: string[] }>} The first choice is the default. */
const kinds = { audio: { title: 'Audio', choices: tags }, subtitles: { title: 'Subtitles', choices: ['off', ...tags] } }

/** The name of a language in itself. @param {string} tag */
const nameOf = tag => {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The choice that matches a preference, which another app may have set to a missing language, or to a variant of one. @param {Kind} kind @param {string | null} tag */
const choiceOf = (kind, tag) => {
  const { choices } = kinds[kind]
  return choices.find(choice => choice === tag?.split('-')[0]?.toLowerCase()) ?? String(choices[0])
}

/**
 * The languages of a player. A choice is remembered for the show or film, and for all titles on request.
 * @param {import('./viewer.js').Content} content
 * @param {{ name: string } | undefined} user
 * @param {(state: import('../../client/index.js').Outcome['state'], text: string) => void} say
 */
export const languages = (content, user, say) => {
  /** @type {Record<Kind, string>} */
  const chosen = { audio: choiceOf('audio', null), subtitles: choiceOf('subtitles', null) }
  /** What the profile prefers, if known. @type {Record<Kind, string> | undefined} */
  let usual
  let isTouched = false

  const summary = h('span')
  const opener = h(
    'button',
    { type: 'button', class: 'quiet languages', 'aria-expanded': 'false', onclick: () => toggle() },
    icon('languages'),
    h('span', { class: 'unseen' }, 'Languages: '),
    summary
  )
  const forAll = h('button', { type: 'button', class: 'link', onclick: () => useForAll() }, 'Use for all titles')

  /** @param {Kind} kind @param {string} choice */
  const option = (kind, choice) =>
    h(
      'button',
      { type: 'button', class: 'choice', lang: choice !== 'off' && choice, 'data-choice': choice, onclick: () => choose(kind, choice) },
      choice === 'off' ? 'Off' : nameOf(choice)
    )
  /** @param {Kind} kind */
  const group = kind => {
    const { title, choices } = kinds[kind]
    return h(
      'div',
      { class: 'choices', role: 'group', 'aria-label': title, 'data-kind': kind },
      h('span', { class: 'note', 'aria-hidden': 'true' }, title),
      ...choices.map(choice => option(kind, choice))
    )
  }
  const panel = h('div', { class: 'language-panel', hidden: true }, group('audio'), group('subtitles'), forAll)

  const show = () => {
    const { audio, subtitles } = chosen
    summary.textContent = `${nameOf(audio)}, ${subtitles === 'off' ? 'no subtitles' : `subtitles ${nameOf(subtitles)}`}`
    for (const button of panel.querySelectorAll('.choice')) {
      const kind = /** @type {Kind} */ (button.parentElement?.dataset.kind)
      button.setAttribute('aria-pressed', String(chosen[kind] === button.getAttribute('data-choice')))
    }
    forAll.hidden = !usual || (usual.audio === audio && usual.subtitles === subtitles)
  }
  const toggle = () => {
    panel.hidden = !panel.hidden
    opener.setAttribute('aria-expanded', String(!panel.hidden))
  }

  /** @param {Partial<Record<Kind, string>>} change @param {string} where @param {number} [contentId] */
  const remember = async (change, where, contentId) => {
    const { state, error } = await viewer.changePreferences(change, contentId)
    if (state === 'refused') return say(state, explain(error))
    say(
      state,
      state === 'sent' ? `Remembered for ${where}` : `Remembered for ${where} on this device. It is sent when the service responds again.`
    )
  }
  /** @param {Kind} kind @param {string} choice */
  const choose = (kind, choice) => {
    chosen[kind] = choice
    isTouched = true
    show()
    if (user) return remember({ [kind]: choice }, content.parent_id ? 'this show' : 'this title', content.id)
  }
  const useForAll = async () => {
    usual = { ...chosen }
    show()
    opener.focus()
    await remember(usual, 'all titles')
  }

  /** @param {import('./viewer.js').Schemas['Preferences']} preferences @returns {Record<Kind, string>} */
  const choicesOf = ({ audio, subtitles }) => ({ audio: choiceOf('audio', audio), subtitles: choiceOf('subtitles', subtitles) })
  const load = async () => {
    const [ofTitle, ofProfile] = await Promise.all([viewer.preferences(content.id), viewer.preferences()])
    // A choice made before the response arrives wins.
    if (!isTouched) Object.assign(chosen, choicesOf(ofTitle))
    usual = choicesOf(ofProfile)
    show()
  }
  show()
  // Without a response, the player keeps its own languages.
  if (user) load().catch(() => undefined)
  return { opener, panel }
}
