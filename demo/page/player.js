import { h, icon } from './dom.js'
import { languages } from './languages.js'
import { durationOf, reportPosition, resumeTime } from './library.js'
import { askToSignIn } from './sign-in.js'
import { explain, viewer } from './viewer.js'
import { clock, nameOf, spoken } from './words.js'

/** The simulated player plays one minute per second. */
const speed = 60
const tick = 250
const reportEvery = 5000
/** Parts that viewers may want to skip. */
const skippable = ['recap', 'intro', 'preview']
/** How long the position must rest before it is reported, in milliseconds. */
const rest = 400

/** @param {import('../../client/index.js').ViewerError} error */
const refusalOf = error => {
  if (error.kind !== 'too-many-streams') return explain(error)
  const names = error.devices.map(name => name ?? 'a device without a name')
  return `You are already watching on ${new Intl.ListFormat('en').format(names)}. Pause there to watch here.`
}

/**
 * A simulated player. Drag its position or let it play, and it reports as a real player would.
 * @param {import('./viewer.js').Content} content
 * @param {{ name: string } | undefined} user
 * @param {(next: import('./viewer.js').Content) => void} openNext
 */
export const player = (content, user, openNext) => {
  const duration = durationOf(content)
  const markers = content.markers ?? []
  const credits = markers.findLast(({ type }) => type === 'credits')?.start ?? Number.POSITIVE_INFINITY
  let isNextOffered = false
  let reported = resumeTime(content.id)
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let playing
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting
  let nextReport = 0
  /** @type {Promise<import('../../client/index.js').Playing> | undefined} */
  let stream

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
  /** @param {import('../../client/index.js').Outcome['state']} state @param {string} text */
  const say = (state, text) => {
    status.className = `status ${state}`
    status.textContent = text
  }
  const { opener, panel } = languages(content, user, say)
  const skip = h('button', { type: 'button', class: 'quiet', hidden: true })
  const next = h('button', { type: 'button', class: 'primary', hidden: true })
  const button = h('button', { type: 'button', class: 'play', onclick: () => (playing ? pause() : play()) })

  const show = () => {
    const time = Number(position.value)
    position.style.setProperty('--played', `${(100 * time) / duration}%`)
    position.setAttribute('aria-valuetext', `${spoken(time)} of ${spoken(duration)}`)
    shown.textContent = `${clock(time)} / ${clock(duration)}`
    button.replaceChildren(icon(playing ? 'pause' : 'play'))
    button.setAttribute('aria-label', playing ? 'Pause' : 'Play')
    showSkip(time)
    if (time >= credits) offerNext()
  }

  /** @param {number} time */
  const showSkip = time => {
    const marker = markers.find(({ type, start, end }) => skippable.includes(type) && time >= start && time < (end ?? duration))
    skip.hidden = !marker
    if (!marker) return
    skip.textContent = `Skip ${marker.type}`
    skip.onclick = () => {
      position.value = String(marker.end ?? duration)
      show()
      report()
    }
  }

  /** Reports the end first, so that continue watching has the next episode. */
  const offerNext = async () => {
    if (!user || isNextOffered) return
    isNextOffered = true
    await report()
    const cards = await viewer.get('/continue-watching', { params: { query: { perPage: 1 } } }).catch(() => undefined)
    const card = cards?.collection[0]
    if (card?.reason !== 'next' || card.content.type !== content.type) return
    next.textContent = `Next: ${nameOf(card.content)}`
    next.onclick = () => openNext(card.content)
    next.hidden = false
  }

  const report = async () => {
    clearTimeout(resting)
    const time = Number(position.value)
    if (!user || time === reported) return
    reported = time
    nextReport = Date.now() + reportEvery
    const { state, error } = await reportPosition(content, time, duration)
    if (state === 'sent') say(state, `Position saved: ${clock(time)}`)
    else if (state === 'kept') say(state, 'Position kept on this device. It is sent when the service responds again.')
    else say(state, `Position not saved: ${error?.message}`)
  }

  const pause = () => {
    clearInterval(playing)
    playing = undefined
    stream?.then(({ stop }) => stop()).catch(() => undefined)
    stream = undefined
    show()
    return report()
  }
  /** @param {import('../../client/index.js').ViewerError} error */
  const refuse = async error => {
    await pause()
    say('refused', refusalOf(error))
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
    if (user) {
      stream = viewer.play(content.id, { onRefused: refuse })
      stream.catch(refuse)
    }
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
      'You are not signed in, so your position is not saved. ',
      h('button', { type: 'button', class: 'link', onclick: () => askToSignIn() }, 'Sign in')
    )
  const element = h(
    'div',
    { class: 'player', role: 'group', 'aria-label': 'Player' },
    h('div', { class: 'controls' }, button, position, shown),
    h('div', { class: 'offers' }, skip, next, opener),
    panel,
    status,
    h('p', { class: 'hint' }, 'A simulated player: drag the slider, or play one minute per second.')
  )
  return { element, stop: pause }
}
