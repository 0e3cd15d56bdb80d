import type { Changes } from '../../schemas/changes.js'
import { seconds } from '../time.js'
import { eachList } from '../viewing/viewer-lists.js'

/** How many changes are remembered. Any others may be sent twice. */
const mostRemembered = 500
/** Longer than the overlap of readings, in milliseconds. */
const rememberedFor = seconds(20)

/** What was sent in the last seconds, which would otherwise be sent again, because readings overlap by a few seconds. */
export class SentChanges {
  private readonly states = new Map<string, string>()
  private usedAt = performance.now()

  /** The changes that have not been sent yet, as JSON. Undefined if there are none. */
  unsentIn(page: Changes) {
    if (page.reset) this.states.clear()
    this.usedAt = performance.now()
    let isEmpty = !page.reset
    const isUnsent = (key: string, state: string) => {
      if (this.states.get(key) === state) return false
      this.states.delete(key)
      this.states.set(key, state)
      if (this.states.size > mostRemembered) this.states.delete(this.states.keys().next().value as string)
      isEmpty = false
      return true
    }
    const removed = eachList.map(({ name }) => [name, page.removed[name].filter(id => isUnsent(`${name} ${id}`, ''))])
    const lists = eachList.map(({ name }) => {
      const elements: { content_id: number | null }[] = page[name]
      return [name, elements.filter(element => isUnsent(`${name} ${element.content_id}`, JSON.stringify(element)))]
    })
    if (isEmpty) return undefined
    return JSON.stringify({ ...page, ...Object.fromEntries(lists), removed: Object.fromEntries(removed), more: false })
  }

  /** Keeps only what others were sent, too. */
  keepCommon({ states }: SentChanges) {
    for (const [key, state] of this.states) if (states.get(key) !== state) this.states.delete(key)
  }

  /** Forgets all if it is old. Returns whether nothing is remembered. */
  forgetOld(now: number) {
    if (now - this.usedAt > rememberedFor) this.states.clear()
    return this.states.size === 0
  }
}
