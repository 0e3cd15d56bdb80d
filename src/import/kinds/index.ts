import type { ImportKind } from '../../../schemas/import.js'
import type { ImportRun, Kind } from '../kind.js'
import { contents } from './contents.js'
import { hidden } from './hidden.js'
import { history } from './history.js'
import { legal } from './legal.js'
import { railCollections } from './rail-collections.js'
import { schedule } from './schedule.js'
import { supportTexts } from './support-texts.js'
import { terms } from './terms.js'
import { users } from './users.js'
import { watchlist } from './watchlist.js'

export const kindsOf = (run: ImportRun): Record<ImportKind, Kind> => ({
  users: users(run),
  terms: terms(run),
  contents: contents(run),
  'rail-collections': railCollections(run),
  legal: legal(run),
  schedule: schedule(run),
  'support-texts': supportTexts(run),
  history: history(run),
  watchlist: watchlist(run),
  hidden: hidden(run)
})
