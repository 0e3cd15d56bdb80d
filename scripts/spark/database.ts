import { type Db, ObjectId } from 'mongodb'
import { type HistoryDocument, historyIndexes } from '../../src/data/history.js'
import { contentOf } from '../bench/data/catalogue.js'
import { generate, insert } from '../bench/data/generate.js'

/** One title in ten is a show whose viewers have watched its only episode. */
const showEvery = 10
const aFilm = 26

/** Episodes have ids above those of the titles. */
const watchedOf = (title: number, titles: number) => (title % showEvery === 0 ? title + titles : title)

const firstView = Date.UTC(2026, 0, 1)
const minute = 60_000

function* elementsOf(histories: Iterable<number[]>, titles: number): Generator<HistoryDocument> {
  let user_id = 0
  for (const history of histories) {
    user_id++
    for (const [place, title] of history.entries()) {
      const at = new Date(firstView + place * minute)
      const content_id = watchedOf(title, titles)
      yield { _id: new ObjectId(), user_id, content_id, time: 3000, percentage: 95, created_at: at, updated_at: at }
    }
  }
}

/** Fills an empty database with titles from 1 on, and with histories of them. */
export const fill = async (db: Db, titles: number, histories: Iterable<number[]>) => {
  const film = contentOf(aFilm, titles, [''])
  await insert(
    db,
    'contents',
    generate(titles, _id => ({ ...film, _id }))
  )
  const episodes = generate(Math.floor(titles / showEvery), n => ({
    ...film,
    _id: n * showEvery + titles,
    parent_id: n * showEvery,
    type: 'episode'
  }))
  await insert(db, 'contents', episodes)
  await insert(db, 'history', elementsOf(histories, titles))
  await db.collection('history').createIndexes(historyIndexes)
}
