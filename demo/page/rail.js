import { skeletons } from './cards.js'
import { focusCard, h, icon } from './dom.js'
import { explain } from './viewer.js'

/**
 * A page of cards, and the number of the next one.
 * @typedef {{ cards: HTMLElement[], next: number | false }} Page
 */

/** @param {() => void} act @param {Element} element @param {Element | null} [root] */
const whenNear = (act, element, root = null) => {
  const observer = new IntersectionObserver(
    entries => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      act()
    },
    { root, rootMargin: '300px' }
  )
  observer.observe(element)
}

/**
 * Watches for cards that are at least half on the screen for a second, and not behind a dialog.
 * @param {(contentId: number) => void} onSeen
 */
const createWatch = onSeen => {
  /** @type {Map<Element, number>} */
  const timers = new Map()
  const stop = (/** @type {Element} */ card) => {
    clearInterval(timers.get(card))
    timers.delete(card)
  }
  const see = (/** @type {Element} */ card) => {
    if (document.querySelector('dialog[open]')) return
    stop(card)
    onSeen(Number(card.getAttribute('data-id')))
  }
  const observer = new IntersectionObserver(
    entries => {
      for (const { target, intersectionRatio } of entries) {
        stop(target)
        if (intersectionRatio >= 0.5) timers.set(target, setInterval(see, 1000, target))
      }
    },
    { threshold: 0.5 }
  )
  return {
    begin: (/** @type {Element} */ card) => observer.observe(card),
    end: () => {
      observer.disconnect()
      for (const card of timers.keys()) stop(card)
    }
  }
}

/**
 * A row of cards under a heading, loaded page by page as they come into view.
 * @param {{ title: string, load: (page: number) => Promise<Page>, isRanked?: boolean, empty?: string, onSeen?: (contentId: number) => void }} options
 */
export const rail = ({ title, load, isRanked = false, empty, onSeen }) => {
  const watch = onSeen && createWatch(onSeen)
  const row = h(isRanked ? 'ol' : 'ul', { class: 'row' }, ...skeletons(6))
  // Keyboard users move from card to card instead.
  const arrow = (/** @type {'back' | 'forward'} */ name, /** @type {number} */ direction) => {
    const scroll = () => row.scrollBy({ left: direction * row.clientWidth * 0.85 })
    return h('button', { type: 'button', class: `arrow ${name}`, tabindex: -1, 'aria-hidden': 'true', onclick: scroll }, icon(name))
  }
  const back = arrow('back', -1)
  const forward = arrow('forward', 1)
  const section = h('section', { class: 'rail', 'aria-label': title }, h('h2', {}, title), h('div', { class: 'track' }, row, back, forward))

  const showArrows = () => {
    back.hidden = row.scrollLeft < 8
    forward.hidden = row.scrollLeft + row.clientWidth > row.scrollWidth - 8
  }
  row.addEventListener('scroll', showArrows, { passive: true })

  const clear = () => {
    for (const passing of row.querySelectorAll('.skeleton, .trouble, .empty')) passing.remove()
  }

  const put = (/** @type {Page} */ { cards, next }) => {
    clear()
    row.append(...cards)
    if (watch) for (const card of cards) watch.begin(card)
    if (row.children.length === 0) {
      section.hidden = empty === undefined
      row.append(h('li', { class: 'empty' }, empty))
    }
    if (next && cards.length > 0) {
      const more = skeletons(2)
      row.append(...more)
      whenNear(() => ask(next), /** @type {Element} */ (more[0]), row)
    }
    showArrows()
  }

  const ask = async (/** @type {number} */ page) => {
    row.setAttribute('aria-busy', 'true')
    try {
      put(await load(page))
      isFilled = true
    } catch (error) {
      clear()
      const again = () => {
        clear()
        row.append(...skeletons(page === 1 ? 6 : 2))
        ask(page)
      }
      const button = h('button', { type: 'button', class: 'quiet', onclick: again }, 'Try again')
      row.append(h('li', { class: 'trouble' }, h('p', { role: 'alert' }, explain(error)), button))
    }
    row.removeAttribute('aria-busy')
  }
  let isFilled = false
  whenNear(() => ask(1), section)

  /** Loads the cards again. The old ones stay until the new ones have arrived. */
  const reload = async () => {
    if (!isFilled) return
    const page = await load(1)
    const place = row.scrollLeft
    const focused = row.contains(document.activeElement) && /** @type {HTMLElement | null} */ (document.activeElement?.closest('.card'))
    row.replaceChildren()
    watch?.end()
    put(page)
    row.scrollLeft = place
    if (focused) focusCard(row, focused.dataset.id)
  }
  return { section, reload: () => reload().catch(() => undefined) }
}
