import t from 'tap'
import { everybody } from '../../src/catalogue/audience.js'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import { Skeleton } from '../../src/catalogue/skeleton.js'
import { Tree } from '../../src/catalogue/tree.js'
import { continueWatching } from '../../src/viewing/continue-watching.js'
import { content, episode, film } from '../helpers/documents.js'

const skeleton = new Skeleton()
const season = (id: number, parent_id: number, position: number) => content(id, { type: 'season', parent_id, position })
const deleted = { deleted_at: new Date('2024-01-01') }
const show: ContentDocument[] = [
  content(100),
  season(110, 100, 1),
  episode(111, 110, { position: 1 }),
  episode(112, 110, { position: 2 }),
  content(119, { type: 'trailer', parent_id: 110, position: 3 }),
  episode(113, 110, { position: 4 }),
  season(120, 100, 2),
  episode(121, 120, { position: 1 }),
  episode(122, 120, { position: 2 }),
  season(130, 100, 3)
]
const withGaps: ContentDocument[] = [
  content(200),
  episode(201, 200, { position: 1 }),
  episode(202, 200, { position: 2, ...deleted }),
  episode(203, 200, { position: 3, start_date: new Date('2098-01-01') }),
  episode(204, 200, { position: 4 }),
  episode(205, 200, { position: 5, ...deleted })
]
for (const one of [...show, ...withGaps, film(300), film(301)]) skeleton.put(one)
const catalogue = { skeleton, tree: new Tree(skeleton) }

/** The time of the oldest element. Each newer one is a second later. */
const began = Date.parse('2024-05-01T00:00:00Z')

/**
 * A history, newest first. `112@35x1` is content 112 at 35 %, completed once before. Without `@` it is at 95 %, without `x` it was never
 * completed.
 */
const columns = (newestFirst: string) => {
  const elements = [...newestFirst.matchAll(/(\d+)(?:@(\d+))?(?:x(\d+))?/g)].map(([, id, percentage = 95, plays = 0]) => ({
    id: Number(id),
    percentage: Number(percentage),
    plays: Number(plays)
  }))
  return {
    content_ids: elements.map(({ id }) => id),
    times: elements.map(({ percentage }) => percentage * 10),
    percentages: elements.map(({ percentage }) => percentage),
    plays: elements.map(({ plays }) => plays),
    previousTimes: elements.map(() => undefined),
    previousPercentages: elements.map(() => undefined),
    updated: elements.map((_, i) => began + 1000 * (elements.length - 1 - i))
  }
}

interface More {
  since?: number
  dismissed?: Map<number, number>
  hidden?: number[]
}
const cardsOf = (from: typeof catalogue, newestFirst: string, more: More = {}) =>
  continueWatching(from, { history: columns(newestFirst), hidden: [], dismissed: new Map(), completedAt: 90, audience: everybody, ...more })
    .map(({ reason, content_id }) => `${reason} ${content_id}`)
    .join(', ')

const cases: [what: string, newestFirst: string, expected: string][] = [
  ['nothing watched', '', ''],

  ['first run: begun', '111@30', 'resume 111'],
  ['first run: one completed', '111x1', 'next 112'],
  ['first run: the trailer among the episodes is passed over', '112x1 111x1', 'next 113'],
  ['first run: the end of a season', '113x1 112x1 111x1', 'next 121'],
  ['first run: the end', '122x1 121x1 113x1 112x1 111x1', ''],
  ['out of order: the third first', '113x1', 'next 121'],
  ['out of order: back to the first', '111x1 113x1', 'next 112'],
  ['out of order: what was seen before is passed over', '112x1 111x1 113x1', 'next 121'],
  ['out of order: the last one first', '111x1 122x1', 'next 112'],
  ['out of order: what was begun before is next', '111x1 112@40', 'next 112'],
  ['an episode skipped', '113x1 111x1', 'next 121'],
  ['an episode skipped, and seen at last', '112x1 121x1 113x1 111x1', 'next 122'],

  ['rewatch of all: the first begun', '111@20x1 122x1 121x1 113x1 112x1', 'resume 111'],
  ['rewatch of all: one completed', '111x2 122x1 121x1 113x1 112x1', 'next 112'],
  ['rewatch of all: the end of a season', '113x2 112x2 111x2 122x1 121x1', 'next 121'],
  ['rewatch of all: the end', '122x2 121x2 113x2 112x2 111x2', ''],
  ['third time', '112x3 111x3 122x2 121x2 113x2', 'next 113'],
  ['rewatch of one season, with another not seen', '113x2 112x2 111x2', 'next 121'],
  ['rewatch of the last season', '122x2 121x2 113x1 112x1 111x1', ''],
  ['rewatch that skips one', '113x2 111x2 122x1 121x1 112x1', 'next 121'],
  ['rewatch broken off in an episode', '112@35x1 111x2 122x1 121x1 113x1', 'resume 112'],
  ['rewatch broken off, and gone on where the first run ended', '113x1 111x2 112x1', 'next 121'],
  ['rewatch broken off, and the last one seen again', '122x2 111x2 112x1', ''],
  ['an episode left in the middle of a rewatch, and the one before it seen again', '111x2 112@35x1', 'next 112'],

  ['0 and 0 is not the last one watched', '112@0 111x1', 'next 112'],
  ['0 and 0 was completed all the same', '112@0x1 111x1', 'next 113'],
  ['0 and 0 was completed less often', '112@0x1 111x2', 'next 112'],
  ['all at 0 and 0', '112@0x2 111@0x1', ''],

  ['an episode that was taken away is passed over, and one that has not begun', '201x1', 'next 204'],
  ['after one that was taken away', '202x1 201x1', 'next 204'],
  ['one in progress that was taken away', '202@30 201x1', ''],
  ['nothing but what was taken away is left', '204x1 201x1', ''],
  ['one that left the database is no last one', '999x1 201x1', 'next 204'],

  ['a season itself', '110x1', 'next 120'],
  ['a show itself', '100x1', ''],
  ['the trailer of a season', '119x1', ''],
  ['films', '300@30x4 301x1', 'resume 300'],
  ['several titles', '300@30 112x1 201@50 111x1', 'resume 300, next 113, resume 201']
]

t.test('what to continue', async t => {
  for (const [what, newestFirst, expected] of cases) t.equal(cardsOf(catalogue, newestFirst), expected, what)
})

t.test('a new season after the end', async t => {
  const growing = new Skeleton()
  for (const one of [...show, episode(131, 130)]) growing.put(one)
  const from = { skeleton: growing, tree: new Tree(growing) }
  t.equal(cardsOf(from, '122x1 121x1 113x1 112x1 111x1'), 'next 131')
  t.equal(cardsOf(from, '122x2 121x2 113x2 112x2 111x2'), 'next 131', 'after a rewatch')
  t.equal(cardsOf(from, '112x2 111x2 122x1 121x1 113x1'), 'next 113', 'during a rewatch')
})

t.test('a title has no card if it is hidden, or was not watched since a moment or since it was dismissed', async t => {
  const cards = (more: More) => cardsOf(catalogue, '300@30 111x1 201@50', more)
  t.equal(cards({ since: began }), 'resume 300, next 112, resume 201')
  t.equal(cards({ since: began + 1 }), 'resume 300, next 112')
  t.equal(cards({ since: began + 2000 }), 'resume 300')
  t.equal(cards({ since: began + 2001 }), '')
  t.equal(cards({ dismissed: new Map([[100, began + 1000]]) }), 'resume 300, resume 201')
  t.equal(cards({ dismissed: new Map([[100, began + 999]]) }), 'resume 300, next 112, resume 201')
  t.equal(cards({ hidden: [112] }), 'resume 300, resume 201')
})
