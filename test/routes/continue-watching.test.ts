import { ObjectId } from 'mongodb'
import t, { type Test } from 'tap'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import { Pacer } from '../../src/overload/pacer.js'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { type Answer, assertRefused, collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, historyDocument } from '../helpers/documents.js'
import { tick, until } from '../helpers/until.js'
import { allPages, type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { assertDone, assertError, badQueries, emptyMeta, metaOfFive, wantToken, wire } from './helper.js'

const season = (id: number, parent_id: number, given: Partial<ContentDocument> = {}) => content(id, { type: 'season', parent_id, ...given })
const deleted = { deleted_at: new Date('2024-01-01') }
const contents = [
  // Positions first, those without one last by start_date, then by id.
  content(100),
  episode(101, 100, { position: 2 }),
  episode(102, 100, { position: 1 }),
  episode(103, 100, { start_date: new Date('2021-02-01') }),
  episode(104, 100, { start_date: new Date('2021-01-01') }),
  episode(105, 100, { start_date: new Date('2021-02-01') }),
  // Seasons, and an episode beside them.
  content(200),
  season(210, 200, { position: 2 }),
  season(220, 200, { position: 1 }),
  episode(211, 210, { position: 1 }),
  episode(212, 210, { position: 2 }),
  episode(221, 220, { position: 2 }),
  episode(222, 220, { position: 1 }),
  episode(230, 200, { position: 3 }),
  // Closed ones in between.
  content(300),
  episode(301, 300),
  episode(302, 300, deleted),
  episode(303, 300, { end_date: new Date('2024-01-01') }),
  episode(304, 300, { position: null, start_date: new Date('2098-01-01') }),
  episode(305, 300, { countries_include: ['SE'] }),
  episode(306, 300),
  ...Array.from({ length: 60 }, (_, i) => film(401 + i)),
  // A deleted show.
  content(500, deleted),
  episode(501, 500, deleted),
  episode(502, 500, deleted),
  film(510, deleted),
  film(511, { countries_exclude: ['US'] }),
  // What stands among episodes without being one.
  content(600),
  season(610, 600, { position: 1 }),
  episode(611, 610),
  season(620, 600, { position: 2 }),
  season(630, 600, { position: 3 }),
  episode(631, 630, deleted),
  content(700),
  episode(701, 700, { position: 1 }),
  episode(702, 700, { position: 2 }),
  episode(703, 700, { position: 3 }),
  content(7010, { type: 'trailer', parent_id: 701 }),
  content(7020, { type: 'trailer', parent_id: 702 }),
  film(800),
  content(801, { type: 'trailer', parent_id: 800 }),
  // Each the parent of the other, which no import lets in.
  episode(901, 902),
  episode(902, 901)
]
const contentOf = new Map(contents.map(content => [content._id, content]))
const wireOf = (id: number) => wire(contentOf.get(id) as ContentDocument)

const settings = { COUNTRY_HEADER: 'cf-ipcountry' }
const assertNotFound = (t: Test, answer: Answer, what = '') => assertError(t, answer, 404, 404, 'Resource not found', what)

/** The cards in short: the reason and the content. */
const cards = async (viewer: Viewer, headers: Record<string, string> = {}): Promise<[string, number][]> =>
  collectionOf(await viewer.get('/continue-watching?perPage=100', undefined, headers)).map(
    ({ reason, content }: { reason: string; content: { id: number } }) => [reason, content.id]
  )
const day = (n: number) => `2024-05-${String(n).padStart(2, '0')}T00:00:00Z`
const wireDay = (n: number) => day(n).replace('Z', '.000000Z')
const complete = (viewer: Viewer, id: number, n?: number) =>
  watch(viewer, id, { time: 1000, percentage: 95, ...(n ? { observed_at: day(n) } : {}) })
const begin = (viewer: Viewer, id: number, n?: number) =>
  watch(viewer, id, { time: 100, percentage: 10, ...(n ? { observed_at: day(n) } : {}) })

t.test('continue watching', async t => {
  const app = await buildWith(t, { contents }, { settings })
  const stored = databaseOf(app).collection<HistoryDocument>('history')

  t.test('is empty for a user who has watched nothing', async t => {
    const viewer = await viewerOf(app)
    const answer = await viewer.get('/continue-watching')
    t.equal(answer.statusCode, 200)
    t.equal(answer.body, JSON.stringify({ success: true, data: { collection: [], meta: emptyMeta } }))
    t.match(answer.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
  })

  t.test('gives cards in their whole wire form', async t => {
    const viewer = await viewerOf(app)
    const [resumed, , third] = [await begin(viewer, 101, 4), await complete(viewer, 222, 3), await begin(viewer, 301, 1)]
    await complete(viewer, 301, 2)
    t.ok(third)
    const answer = await viewer.get('/continue-watching')
    const expected = {
      collection: [
        {
          reason: 'resume',
          content: wireOf(101),
          history: {
            _id: resumed,
            user_id: viewer.id,
            content_id: 101,
            time: 100,
            percentage: 10,
            plays: 0,
            watched_at: null,
            previous: null,
            created_at: wireDay(4),
            updated_at: wireDay(4)
          },
          resume: { time: 100, percentage: 10 },
          updated_at: wireDay(4)
        },
        { reason: 'next', content: wireOf(221), history: null, resume: { time: 0, percentage: 0 }, updated_at: wireDay(3), is_new: false },
        { reason: 'next', content: wireOf(305), history: null, resume: { time: 0, percentage: 0 }, updated_at: wireDay(2), is_new: false }
      ],
      meta: { ...emptyMeta, total_pages: 1, total_count: 3 }
    }
    t.equal(answer.body, JSON.stringify({ success: true, data: expected }))
    t.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)))
    t.match(answer.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
  })

  t.test('next follows position, then start_date, then id', async t => {
    const viewer = await viewerOf(app)
    const order = [102, 101, 104, 103, 105]
    for (const [i, id] of order.entries()) {
      await complete(viewer, id, i + 1)
      t.strictSame(await cards(viewer), order[i + 1] ? [['next', order[i + 1]]] : [], `after ${id}`)
    }
  })

  t.test('next goes down the tree of seasons', async t => {
    const viewer = await viewerOf(app)
    const order = [222, 221, 211, 212, 230]
    for (const [i, id] of order.entries()) {
      await complete(viewer, id, i + 1)
      t.strictSame(await cards(viewer), order[i + 1] ? [['next', order[i + 1]]] : [], `after ${id}`)
    }
  })

  t.test('next skips what is closed and what is completed', async t => {
    const viewer = await viewerOf(app)
    await complete(viewer, 301, 1)
    t.strictSame(await cards(viewer), [['next', 305]], 'the country is unknown')
    t.strictSame(await cards(viewer, { 'cf-ipcountry': 'SE' }), [['next', 305]])
    t.strictSame(await cards(viewer, { 'cf-ipcountry': 'DE' }), [['next', 306]])
    const other = await viewerOf(app)
    await complete(other, 101, 1)
    await complete(other, 104, 2)
    await complete(other, 102, 3)
    t.strictSame(await cards(other), [['next', 103]], 'completed episodes after 102 are skipped')
    await complete(other, 103, 4)
    await complete(other, 105, 5)
    await begin(other, 102, 6)
    t.strictSame(await cards(other), [['resume', 102]], 'a completed episode is being watched again')
  })

  t.test('next that was started has its history', async t => {
    const viewer = await viewerOf(app)
    const id = await begin(viewer, 101, 1)
    await complete(viewer, 102, 2)
    const [card] = collectionOf(await viewer.get('/continue-watching'))
    t.strictSame(card, {
      reason: 'next',
      content: wireOf(101),
      history: {
        _id: id,
        user_id: viewer.id,
        content_id: 101,
        time: 100,
        percentage: 10,
        plays: 0,
        watched_at: null,
        previous: null,
        created_at: wireDay(1),
        updated_at: wireDay(1)
      },
      resume: { time: 100, percentage: 10 },
      updated_at: wireDay(2),
      is_new: false
    })
  })

  t.test('a next episode at 0 was never started', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 101, { observed_at: day(1) })
    await complete(viewer, 102, 2)
    const [card] = collectionOf(await viewer.get('/continue-watching'))
    t.match(card, { reason: 'next', content: { id: 101 } })
    t.equal(card.history, null, 'elements whose time and percentage are 0 count as missing')
  })

  t.test('a show whose last watched episode has nothing after it has no card', async t => {
    const viewer = await viewerOf(app)
    await begin(viewer, 102, 1)
    await complete(viewer, 105, 2)
    t.strictSame(await cards(viewer), [])
    await begin(viewer, 105, 3)
    t.strictSame(await cards(viewer), [['resume', 105]])
  })

  t.test('a show that is watched again goes on', async t => {
    const viewer = await viewerOf(app)
    for (const [i, id] of [102, 101, 104, 103, 105].entries()) await complete(viewer, id, i + 1)
    t.strictSame(await cards(viewer), [])
    await watch(viewer, 102, { time: 5, percentage: 1, observed_at: day(6) })
    t.strictSame(await cards(viewer), [['resume', 102]])
    await complete(viewer, 102, 7)
    const [card, ...others] = collectionOf(await viewer.get('/continue-watching'))
    t.strictSame(others, [])
    t.match(card, { reason: 'next', content: { id: 101 }, history: { percentage: 95, plays: 1, watched_at: wireDay(2) } })
    t.equal(card.updated_at, wireDay(7))
    await watch(viewer, 101, { time: 5, percentage: 1, observed_at: day(8) })
    await complete(viewer, 101, 9)
    t.strictSame(await cards(viewer), [['next', 104]])
    await watch(viewer, 101, { time: 0, percentage: 0, observed_at: day(10) })
    t.strictSame(await cards(viewer), [['next', 104]], 'an episode at 0 keeps its plays')
  })

  t.test('an element at its end was completed at least once, whatever an import says', async t => {
    const viewer = await viewerOf(app)
    const completed = (content_id: number, plays: number, at: number) =>
      historyDocument({ _id: new ObjectId(), user_id: viewer.id, content_id, percentage: 95, plays, updated_at: new Date(at) })
    await stored.insertMany([completed(102, 0, 1.7e12), completed(101, 0, 1.6e12)])
    t.strictSame(await cards(viewer), [['next', 104]])
  })

  t.test('is not harmed by elements of other software that lack a content or a date', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 401, { time: 600, percentage: 20 })
    const element = { user_id: viewer.id, time: 600, percentage: 20 }
    for (const foreign of [
      { ...element, updated_at: new Date() },
      { ...element, content_id: 402 }
    ])
      await stored.insertOne(foreign as HistoryDocument, { bypassDocumentValidation: true })
    t.strictSame(await cards(viewer), [['resume', 401]])
    t.equal((await viewer.get('/recommendations')).statusCode, 200)
  })

  t.test('has the cards of a reason, and says which next ones are new', async t => {
    const app = await buildWith(t, {
      contents: [
        content(1),
        episode(11, 1, { position: 1 }),
        episode(12, 1, { position: 2, start_date: new Date(day(5)) }),
        content(2),
        episode(21, 2, { position: 1 }),
        episode(22, 2, { position: 2, start_date: new Date(day(4)) }),
        film(3)
      ]
    })
    const viewer = await viewerOf(app)
    for (const id of [11, 21]) await complete(viewer, id, 4)
    await begin(viewer, 3, 6)
    const cardsBy = async (query: string) => {
      const { collection, meta } = (await viewer.get(`/continue-watching?${query}`)).json().data
      return [
        meta.total_count,
        ...collection.map(({ content, is_new }: { content: { id: number }; is_new?: boolean }) => [content.id, is_new])
      ]
    }
    const [film3, next12, next22] = [
      [3, undefined],
      [12, true],
      [22, false]
    ]
    t.strictSame(await cardsBy(''), [3, film3, next12, next22], 'strictly after the last report')
    t.strictSame(await cardsBy('reason=next'), [2, next12, next22])
    t.strictSame(await cardsBy('reason=resume'), [1, film3])
    t.strictSame(await cardsBy('reason=next,resume'), [3, film3, next12, next22])
    t.strictSame(await cardsBy('reason=next&perPage=1&page=2'), [2, next22])
    assertRefused(t, await viewer.get('/continue-watching?reason=later'), 'reason', 'another reason')
  })

  t.test('looks at the 2,000 elements that were watched last', async t => {
    const viewer = await viewerOf(app)
    const element = (content_id: number, at: number, given: Partial<HistoryDocument> = {}) =>
      historyDocument({ _id: new ObjectId(), user_id: viewer.id, content_id, updated_at: new Date(1.7e12 + at), ...given })
    await stored.insertMany([element(401, 0), ...Array.from({ length: 2000 }, (_, i) => element(10_000 + i, i + 1))])
    t.strictSame(await cards(viewer), [], 'elements at 0 and unknown contents count as well')
    await stored.deleteOne({ user_id: viewer.id, content_id: 10_500 })
    t.strictSame(await cards(viewer), [['resume', 401]])
    await stored.insertOne(element(402, 5000))
    t.strictSame(await cards(viewer), [['resume', 402]])
    t.equal((await viewer.get('/continue-watching')).json().data.meta.total_count, 1)
  })

  t.test('a show with every episode completed has no card', async t => {
    const viewer = await viewerOf(app)
    for (const [i, id] of [102, 103, 104, 105, 101].entries()) await complete(viewer, id, i + 1)
    t.strictSame(await cards(viewer), [])
  })

  t.test('films resume and have nothing next', async t => {
    const viewer = await viewerOf(app)
    await begin(viewer, 401, 1)
    await complete(viewer, 402, 2)
    await watch(viewer, 403, { time: 5, observed_at: day(3) })
    await watch(viewer, 404, { percentage: 5, observed_at: day(4) })
    t.strictSame(await cards(viewer), [
      ['resume', 404],
      ['resume', 403],
      ['resume', 401]
    ])
  })

  t.test('an element at 0 counts as not there', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 101, { observed_at: day(1) })
    await watch(viewer, 401, { time: 0, percentage: 0, observed_at: day(1) })
    t.strictSame(await cards(viewer), [])
    await complete(viewer, 102, 2)
    await watch(viewer, 105, { time: 0, percentage: 0, observed_at: day(9) })
    const [card, ...more] = collectionOf(await viewer.get('/continue-watching'))
    t.match(card, { reason: 'next', content: { id: 101 }, updated_at: wireDay(2) })
    t.equal(more.length, 0)
    t.equal(collectionOf(await viewer.get('/history')).length, 4, 'while the history lists it')
  })

  t.test('the percentage of a completion is a setting', async t => {
    const strict = await buildWith(t, { contents }, { settings: { COMPLETED_AT: '100' } })
    const viewer = await viewerOf(strict)
    await watch(viewer, 102, { percentage: 99.9, observed_at: day(1) })
    t.strictSame(await cards(viewer), [['resume', 102]])
    await watch(viewer, 102, { percentage: 100, observed_at: day(1) })
    t.strictSame(await cards(viewer), [['next', 101]])
    const usual = await viewerOf(app)
    await watch(usual, 102, { percentage: 89.99 })
    t.strictSame(await cards(usual), [['resume', 102]])
    await watch(usual, 102, { percentage: 90 })
    t.strictSame(await cards(usual), [['next', 101]])
  })

  t.test('only episodes are next', async t => {
    t.test('not a season without episodes', async t => {
      const viewer = await viewerOf(app)
      await complete(viewer, 611, 1)
      t.strictSame(await cards(viewer), [])
    })
    t.test('and one that has something below it is one too', async t => {
      const viewer = await viewerOf(app)
      await complete(viewer, 701, 1)
      t.strictSame(await cards(viewer), [['next', 702]])
    })
    t.test('not the trailer of a film', async t => {
      const viewer = await viewerOf(app)
      await complete(viewer, 800, 1)
      t.strictSame(await cards(viewer), [])
    })
  })

  t.test('a circle of parents has an end', async t => {
    const viewer = await viewerOf(app)
    await complete(viewer, 901)
    t.strictSame(await cards(viewer), [['next', 902]])
    await complete(viewer, 902)
    t.strictSame(await cards(viewer), [])
  })

  t.test('one card a show, the one watched last first', async t => {
    const viewer = await viewerOf(app)
    for (const [i, id] of [101, 211, 102, 401, 230, 301].entries()) await begin(viewer, id, i + 1)
    t.strictSame(await cards(viewer), [
      ['resume', 301],
      ['resume', 230],
      ['resume', 401],
      ['resume', 102]
    ])
    await begin(viewer, 222, 9)
    t.strictSame((await cards(viewer))[0], ['resume', 222], 'the card moves on to the next episode')
    t.equal((await cards(viewer)).length, 4)
  })

  t.test('has exact totals, and pages over equal moments show each card once', async t => {
    const viewer = await viewerOf(app)
    const elements = Array.from({ length: 60 }, (_, i) =>
      historyDocument({ _id: new ObjectId(), user_id: viewer.id, content_id: 401 + i, updated_at: new Date(1.7e12 + (i % 3)) })
    )
    // The many elements of a show make one card or none, which the total must respect.
    for (const [i, content_id] of [101, 102, 103, 104, 105, 211, 212, 230].entries())
      elements.push(
        historyDocument({ _id: new ObjectId(), user_id: viewer.id, content_id, percentage: 99, updated_at: new Date(1.6e12 + i) })
      )
    await stored.insertMany(elements)
    for (const perPage of [1, 7, 20, 59, 60, 61, 100]) {
      const pages = await allPages(viewer, '/continue-watching', perPage)
      t.equal(pages.length, Math.ceil(60 / perPage))
      for (const { meta } of pages) t.match(meta, { total_count: 60, total_pages: Math.ceil(60 / perPage), per_page: perPage })
      const seen = pages.flatMap(({ collection }) => collection)
      t.equal(new Set(seen.map(({ content }) => content.id)).size, 60, 'each content once')
      const moments = seen.map(({ updated_at }) => updated_at)
      t.strictSame(moments, moments.toSorted().reverse(), 'newest first')
    }
  })

  t.test('meta is right at every boundary', async t => {
    const viewer = await viewerOf(app)
    t.strictSame((await viewer.get('/continue-watching?page=9')).json().data, { collection: [], meta: { ...emptyMeta, page: 9 } })
    for (const [i, id] of [401, 402, 403, 404, 405].entries()) await begin(viewer, id, i + 1)
    for (const meta of metaOfFive) {
      const answer = await viewer.get(`/continue-watching?page=${meta.page}&perPage=${meta.per_page}`)
      t.strictSame(answer.json().data?.meta, meta, `page ${meta.page} of ${meta.per_page}`)
      const from = (meta.page - 1) * meta.per_page
      t.strictSame(
        collectionOf(answer).map(({ content }: { content: { id: number } }) => content.id),
        [405, 404, 403, 402, 401].slice(from, from + meta.per_page)
      )
    }
  })

  t.test('since leaves out what was not watched since then', async t => {
    const viewer = await viewerOf(app)
    for (const [i, id] of [401, 402, 403, 404, 405].entries()) await begin(viewer, id, i + 1)
    const since = async (query: string) => {
      const answer = await viewer.get(`/continue-watching?since=${query}`)
      t.equal(answer.statusCode, 200, query)
      return {
        ids: collectionOf(answer).map(({ content }: { content: { id: number } }) => content.id),
        meta: answer.json().data.meta
      }
    }
    for (const [moment, ids] of [
      ['2024-05-03T00:00:00Z', [405, 404, 403]],
      ['2024-05-03T00:00:00.000999Z', [405, 404, 403]],
      ['2024-05-03T00:00:00.001Z', [405, 404]],
      ['2024-05-03T02:00:00%2B02:00', [405, 404, 403]],
      ['0000-01-01T00:00:00Z', [405, 404, 403, 402, 401]],
      ['2098-01-01T00:00:00Z', []]
    ] as const) {
      const { ids: found, meta } = await since(moment)
      t.strictSame([found, meta.total_count], [ids, ids.length], moment)
    }
    t.strictSame(await since(`${day(3)}&perPage=2&page=2`), {
      ids: [403],
      meta: { page: 2, per_page: 2, next_page: false, prev_page: 1, total_pages: 2, total_count: 3 }
    })
  })

  t.test('refuses a since that is no moment', async t => {
    const viewer = await viewerOf(app)
    for (const query of [
      'since=',
      'since=x',
      'since=5',
      'since=2026-02-30T00:00:00Z',
      'since=2026-01-01',
      `since=${day(1)}&since=${day(1)}`
    ]) {
      const answer = await viewer.get(`/continue-watching?${query}`)
      t.match([answer.statusCode, answer.json()], [400, { success: false, code: 400, errors: [{ field: 'since' }] }], query)
    }
  })

  t.test('refuses bad pages', async t => {
    const viewer = await viewerOf(app)
    for (const [query, field] of badQueries) {
      const answer = await viewer.get(`/continue-watching?${query}`)
      if (field) t.match([answer.statusCode, answer.json()], [400, { success: false, code: 400, errors: [{ field }] }], query.slice(0, 30))
      else t.equal(answer.statusCode, 200, 'an unknown parameter is ignored')
    }
  })

  t.test('DELETE hides the card of a show', async t => {
    for (const [what, id] of [
      ['the show', 200],
      ['a season', 210],
      ['the episode itself', 222],
      ['another episode', 230]
    ] as [string, number][])
      t.test(`by ${what}`, async t => {
        const viewer = await viewerOf(app)
        await begin(viewer, 222)
        await begin(viewer, 101)
        await tick()
        assertDone(t, await viewer.remove(`/continue-watching/${id}`), 200)
        t.strictSame(await cards(viewer), [['resume', 101]])
        assertDone(t, await viewer.remove(`/continue-watching/${id}`), 200, 'twice')
        t.strictSame(await cards(viewer), [['resume', 101]])
        t.equal((await viewer.get('/continue-watching')).json().data.meta.total_count, 1)
        t.equal(collectionOf(await viewer.get('/history')).length, 2, 'the history stays')
      })

    t.test('or of a film', async t => {
      const viewer = await viewerOf(app)
      await begin(viewer, 401)
      await begin(viewer, 402)
      await tick()
      assertDone(t, await viewer.remove('/continue-watching/401'), 200)
      t.strictSame(await cards(viewer), [['resume', 402]])
    })

    t.test('of the next episode too', async t => {
      const viewer = await viewerOf(app)
      await complete(viewer, 102)
      await tick()
      assertDone(t, await viewer.remove('/continue-watching/101'), 200)
      t.strictSame(await cards(viewer), [])
    })

    t.test('where there is no card, also of deleted contents', async t => {
      const viewer = await viewerOf(app)
      for (const id of [100, 101, 302, 401, 500, 501]) assertDone(t, await viewer.remove(`/continue-watching/${id}`), 200, String(id))
      t.strictSame(await cards(viewer), [])
      await tick()
      await begin(viewer, 101)
      t.strictSame(await cards(viewer), [['resume', 101]])
    })

    t.test('until something of it is watched again', async t => {
      for (const again of ['the same episode', 'another episode', 'by PUT', 'completed']) {
        const viewer = await viewerOf(app)
        const id = await begin(viewer, 102)
        await tick()
        assertDone(t, await viewer.remove('/continue-watching/100'), 200)
        t.strictSame(await cards(viewer), [])
        await tick()
        if (again === 'the same episode') await begin(viewer, 102)
        else if (again === 'another episode') await begin(viewer, 103)
        else if (again === 'by PUT') await viewer.put(`/history/${id}`, { time: 101 })
        else await complete(viewer, 102)
        const expected = { 'another episode': ['resume', 103], completed: ['next', 101] }[again] ?? ['resume', 102]
        t.strictSame(await cards(viewer), [expected], again)
        await tick()
        assertDone(t, await viewer.remove('/continue-watching/100'), 200)
        t.strictSame(await cards(viewer), [], 'and it can be hidden again')
      }
    })

    t.test('but a late report from before, or one at 0, does not bring it back', async t => {
      const viewer = await viewerOf(app)
      await begin(viewer, 102)
      await tick()
      assertDone(t, await viewer.remove('/continue-watching/100'), 200)
      await begin(viewer, 103, 5)
      await tick()
      await watch(viewer, 104)
      t.strictSame(await cards(viewer), [])
    })

    t.test('once the history was removed and begun anew, the card is back', async t => {
      const viewer = await viewerOf(app)
      await begin(viewer, 102)
      await tick()
      assertDone(t, await viewer.remove('/continue-watching/100'), 200)
      await viewer.remove('/history')
      t.strictSame(await cards(viewer), [])
      await tick()
      await begin(viewer, 102)
      t.strictSame(await cards(viewer), [['resume', 102]])
    })

    t.test('only for the user who asks', async t => {
      const [a, b] = [await viewerOf(app), await viewerOf(app)]
      await begin(a, 102)
      await begin(b, 102)
      const before = (await b.get('/continue-watching')).body
      await tick()
      assertDone(t, await a.remove('/continue-watching/100'), 200)
      t.equal((await b.get('/continue-watching')).body, before)
      t.strictSame(await cards(a), [])
    })

    t.test('and is a 404 for an id that no content ever had, or that has not begun', async t => {
      const viewer = await viewerOf(app)
      await begin(viewer, 102)
      for (const id of [
        ...['9999', '0', '-100', '1.0', '%2B100', '0100', '0x64', '1e2', 'abc', 'a'.repeat(24), '9'.repeat(400), '99999999999999999999'],
        ...['%00', '100%00', '100%20', '%2F', '100%2F', '100%0A', 'null', '', '100,101', '__proto__', 'x'.repeat(10_000)],
        '304'
      ])
        assertNotFound(t, await viewer.remove(`/continue-watching/${id}`), id.slice(0, 30))
      t.strictSame(await cards(viewer), [['resume', 102]])
    })
  })

  t.test('shows nothing that is not open', async t => {
    const viewer = await viewerOf(app)
    const given: [number, number][] = [
      [501, 95],
      [510, 10],
      [302, 10],
      [511, 10]
    ]
    await stored.insertMany(
      given.map(([content_id, percentage], i) =>
        historyDocument({ _id: new ObjectId(), user_id: viewer.id, content_id, percentage, updated_at: new Date(1.7e12 + i) })
      )
    )
    t.strictSame(await cards(viewer), [['resume', 511]])
    t.strictSame(await cards(viewer, { 'cf-ipcountry': 'SE' }), [['resume', 511]])
    t.strictSame(await cards(viewer, { 'cf-ipcountry': 'us' }), [])
    t.match((await viewer.get('/continue-watching', undefined, { 'cf-ipcountry': 'US' })).json().data.meta, {
      total_count: 0,
      total_pages: 0
    })
    t.equal(collectionOf(await viewer.get('/history')).length, 4)
  })

  t.test('the episode after a completed one that is now closed is next', async t => {
    const viewer = await viewerOf(app)
    await stored.insertOne(
      historyDocument({ _id: new ObjectId(), user_id: viewer.id, content_id: 303, percentage: 99, updated_at: new Date(1.7e12) })
    )
    t.strictSame(await cards(viewer), [['next', 305]])
  })

  t.test('follows the catalogue', async t => {
    const own = await buildWith(t, { contents: [content(1), episode(2, 1), episode(3, 1), film(9)] })
    const viewer = await viewerOf(own)
    await complete(viewer, 2, 2)
    await begin(viewer, 9, 1)
    t.strictSame(await cards(viewer), [
      ['next', 3],
      ['resume', 9]
    ])
    await change(own, 'contents', 3, deleted)
    await until(async () => (await cards(viewer)).length === 1)
    t.strictSame(await cards(viewer), [['resume', 9]])
    await databaseOf(own).collection<ContentDocument>('contents').insertOne(episode(4, 1))
    await change(own, 'contents', 4, { name: 'A new episode' })
    await until(async () => (await cards(viewer)).length === 2)
    t.strictSame(await cards(viewer), [
      ['next', 4],
      ['resume', 9]
    ])
  })

  t.test('a card stays hidden when its title becomes part of another, and whatever else was hidden', async t => {
    const own = await buildWith(t, { contents: [content(1), film(2)] })
    const viewer = await viewerOf(own)
    await begin(viewer, 2, 1)
    assertDone(t, await viewer.remove('/continue-watching/2'), 200)
    await databaseOf(own).collection('dismissals').insertOne({ user_id: viewer.id, content_id: 99, at: new Date() })
    await change(own, 'contents', 2, { type: 'episode', parent_id: 1 })
    await until(() => own.catalogue.skeleton.parent.get(own.catalogue.skeleton.row(2) as number) === 1)
    t.strictSame(await cards(viewer), [])
  })

  t.test('a long page takes turns with other long work', async t => {
    const viewer = await viewerOf(app)
    await stored.insertMany(
      Array.from({ length: 60 }, (_, i) =>
        historyDocument({ _id: new ObjectId(), user_id: viewer.id, content_id: 401 + i, percentage: 50, updated_at: new Date(1.7e12 + i) })
      )
    )
    const other = new Pacer()
    let turns = 0
    let isOver = false
    const work = async () => {
      while (!isOver) {
        turns++
        const began = performance.now()
        while (performance.now() - began < 10);
        await other.pause()
      }
    }
    const working = other.run(work)
    const asked = 30
    await Promise.all(Array.from({ length: asked }, () => cards(viewer)))
    isOver = true
    await working
    t.ok(turns >= 2 * asked - 1, `${turns} turns`)
  })

  t.test('a trailing slash is no list', async t => {
    const viewer = await viewerOf(app)
    t.ok([404, 405].includes((await viewer.get('/continue-watching/')).statusCode))
  })

  t.test('wants a token, whatever else is wrong', async t => {
    const viewer = await viewerOf(app)
    await begin(viewer, 102)
    await wantToken(t, app, viewer.headers.authorization, [
      ['GET', '/continue-watching'],
      ['GET', '/continue-watching?page=0'],
      ['DELETE', '/continue-watching/100'],
      ['DELETE', '/continue-watching/x'],
      ['DELETE', '/continue-watching/']
    ])
    t.strictSame(await cards(viewer), [['resume', 102]])
  })
})
