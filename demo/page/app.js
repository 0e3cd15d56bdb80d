import './account.js'
import './approval.js'
import './arrow-keys.js'
import { showCollections } from './collections.js'
import { showHidden } from './hidden.js'
import { showHistory } from './history.js'
import { showHome } from './home.js'
import { followLibrary, loadLibrary } from './library.js'
import { showPerson } from './person.js'
import { showSchedule } from './schedule.js'
import './header.js'
import { renewSheet } from './sheet.js'
import './television.js'
import './who.js'
import { events } from './viewer.js'
import { showYear } from './year.js'

/** Loads the library first, because every card shows what was watched and saved. */
const showViewer = async () => {
  await loadLibrary().catch(() => undefined)
  showHome()
  showHistory()
  showHidden()
  showPerson()
  showYear()
  renewSheet()
  followLibrary()
}

events.addEventListener('session', showViewer)
showViewer()
showCollections()
showSchedule()
