import type { Test } from 'tap'
import type { App } from '../helpers/app.js'
import { content, legal, programme, rail, railCollection, supportText, term } from '../helpers/documents.js'

export const seed = () => ({
  contents: [content(1, { name: 'Before', weight: 5 }), content(2), content(3, { deleted_at: new Date() }), content(4)],
  terms: [term(1), term(2)],
  rail_collections: [railCollection(1, { type: 'show' }, { rails: [rail(1, { type: 'show' })] })],
  legal_documents: [legal('en'), legal('de')],
  support_texts: [supportText(1, 'en'), supportText(2, 'en')],
  programmes: [
    programme(1, 1, '2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'),
    programme(2, 2, '2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z')
  ]
})

/** Moves the clock of this process forward. */
export const moveClock = (t: Test, milliseconds: number) => {
  const now = Date.now
  Date.now = () => now() + milliseconds
  const restore = () => {
    Date.now = now
  }
  t.teardown(restore)
  return restore
}

export const nameOf = async (app: App, id: number) => (await app.inject(`/contents/${id}`)).json().data?.name
