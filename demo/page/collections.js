import { byId, h } from './dom.js'
import { chooseCollection } from './home.js'
import { announce } from './notice.js'
import { explain, viewer } from './viewer.js'

const tabs = byId('collections')

/** @param {string} mname */
const choose = mname => {
  for (const button of tabs.querySelectorAll('button')) {
    if (button.dataset.mname === mname) button.setAttribute('aria-current', 'true')
    else button.removeAttribute('aria-current')
  }
  chooseCollection(mname)
}

/** Shows the collections of rails. If none is chosen, the start page has the rails of all of them. */
export const showCollections = async () => {
  try {
    const { collection } = await viewer.get('/rail-collections')
    tabs.replaceChildren(
      ...collection.map(({ name, mname }) =>
        h('li', {}, h('button', { type: 'button', 'data-mname': mname, onclick: () => choose(mname) }, name))
      )
    )
  } catch (error) {
    announce(explain(error), 'warning')
  }
}
