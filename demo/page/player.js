import { h, icon } from './dom.js'
import { durationOf, progress, watch } from './library.js'
import { askToSignIn } from './sign-in.js'
import { clock, nameOf, spoken } from './words.js'

/** The pretended player plays a minute in a second. */
const speed = 60
const tick = 250
const reportEvery = 5000
/** A hand that still moves is not reported. */
const rest = 400

/**
 * A player without a film: one drags its position, or lets it play, and it reports as a real one would.
 * @param {import('./viewer.js').Content} content
 * @param {{ name: string } | undefined} user
 */
export const player = (content, user) => {
  const duration = durationOf(content)
  let reported = progress.get(content.id)?.time ?? 0
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting
  let nextReport = 0

  const position = h('input', {
    type: 'range',
    class: 'position',
    min: 0,
    max: duration,
    step: 1,
    'aria-label': `Position in ${nameOf(content)}`
  })
  const shown = h('output', { class: 'time' })
  const status = h('p', { class: 'status', role: 'status' })
  const button = h('button', { type: 'button', class: 'play', onclick: () => (playing ? pause() : play()) })

  const show = () => {
    const time = Number(position.value)
    position.style.setProperty('--played', `${(100 * time) / duration}%`)
    position.setAttribute('aria-valuetext', `${spoken(time)} of ${spoken(duration)}`)
    shown.textContent = `${clock(time)} / ${clock(duration)}`
    button.replaceChildren(icon(playing ? 'pause' : 'play'))
    button.setAttribute('aria-label', playing ? 'Pause' : 'Play')
  }

  const report = async () => {
    clearTimeout(resting)
    const time = Number(position.value)
    if (!user || time === reported) return
    reported = time
    nextReport = Date.now() + reportEvery
    const { state, error } = await watch(content, time, duration)
    status.className = `status ${state}`
    if (state === 'sent') status.textContent = `Your place is saved: ${clock(time)}`
    else if (state === 'kept') status.textContent = 'Your place is kept here, and sent when the service answers again.'
    else status.textContent = `Your place was not saved: ${error?.message}`
  }

  const pause = () => {
    clearInterval(playing)
    playing = undefined
    show()
    report()
  }
  const play = () => {
    if (Number(position.value) >= duration) position.value = '0'
    playing = setInterval(() => {
      position.value = String(Number(position.value) + (speed * tick) / 1000)
      show()
      if (Number(position.value) >= duration) pause()
      else if (Date.now() >= nextReport) report()
    }, tick)
    nextReport = Date.now() + 1000
    show()
  }

  position.addEventListener('input', () => {
    show()
    clearTimeout(resting)
    resting = setTimeout(report, rest)
  })
  position.value = String(reported)
  show()

  if (!user)
    status.append(
      'Nobody is signed in, so your place is not kept. ',
      h('button', { type: 'button', class: 'link', onclick: () => askToSignIn() }, 'Sign in')
    )
  const element = h(
    'div',
    { class: 'player', role: 'group', 'aria-label': 'Player' },
    h('div', { class: 'controls' }, button, position, shown),
    status,
    h('p', { class: 'hint' }, 'A pretended player: drag the position, or play a minute in a second.')
  )
  return { element, stop: pause }
}
