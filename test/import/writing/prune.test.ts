import t from 'tap'
import { everything, film, importer, legalText, lines, rail, show, supportText, term, user } from '../helper.js'

t.test('--prune', async t => {
  const pruning = { prune: true }

  t.test('removes what the files lack of each kind, and marks contents', async t => {
    const { run, counts, all, one, revision } = await importer(t)
    await run(everything)
    const revisions = ['contents', 'terms', 'rail_collections', 'legal_documents', 'programmes', 'support_texts']
    const before = await Promise.all(revisions.map(revision))
    const less = {
      'users.ndjson': lines(user(1)),
      'terms.ndjson': lines(term(1)),
      'contents.ndjson': lines(film(1, { terms: [1] })),
      'rail-collections.ndjson': lines(rail(5)),
      'legal.ndjson': lines(legalText('EN')),
      'schedule.ndjson': lines(show(2, { channel: 'two' })),
      'support-texts.ndjson': lines(supportText(1, { language: 'de' })),
      'history.ndjson': '',
      'watchlist.ndjson': '',
      'hidden.ndjson': ''
    }
    t.strictSame(await counts(less, pruning), {
      users: [0, 0, 1],
      terms: [0, 0, 1, 1],
      contents: [0, 0, 1, 2],
      'rail-collections': [1, 0, 0, 1],
      legal: [0, 0, 1, 1],
      schedule: [0, 0, 1, 1],
      'support-texts': [0, 0, 1, 1],
      history: [0, 0, 0],
      watchlist: [0, 0, 0],
      hidden: [0, 0, 0]
    })
    const ids = async (collection: string) => (await all(collection)).map(({ _id }) => _id)
    t.strictSame(await ids('users'), [1, 2], 'pruning removes no users')
    t.strictSame(await ids('terms'), [1])
    t.strictSame(await ids('contents'), [1, 2, 3])
    t.strictSame(await ids('rail_collections'), [5])
    t.strictSame(await ids('legal_documents'), ['en'])
    t.strictSame(await ids('programmes'), [2])
    t.strictSame(await ids('support_texts'), ['1/de'])
    t.equal((await all('history')).length, 2)
    t.equal((await all('watchlist')).length, 2)
    t.equal((await all('hidden')).length, 1)

    const marked = await one('contents', 2)
    t.type(marked?.deleted_at, Date)
    t.strictSame(marked?.updated_at, marked?.deleted_at)
    t.equal((await one('contents', 1))?.deleted_at, null)
    const after = await Promise.all(revisions.map(revision))
    for (const [at, kind] of revisions.entries()) t.ok((after[at] as number) > (before[at] as number), `${kind} has a new revision`)

    t.test('a second run finds nothing more', async t => {
      t.match(await counts(less, pruning), { contents: [0, 0, 1, 0], terms: [0, 0, 1, 0], legal: [0, 0, 1, 0] })
    })
    t.test('a content that is listed again is back', async t => {
      t.strictSame(await counts({ 'contents.ndjson': everything['contents.ndjson'] }, pruning), { contents: [0, 2, 1, 0] })
      t.equal((await one('contents', 2))?.deleted_at, null)
    })
    t.test('kinds without a file stay', async t => {
      t.strictSame(await counts({ 'legal.ndjson': '' }, pruning), { legal: [0, 0, 0, 1] })
      t.strictSame(await ids('terms'), [1])
    })
  })

  t.test('of a term that contents of the run name is a fault', async t => {
    const { run, faults } = await importer(t)
    await run({ 'terms.ndjson': lines(term(1), term(2)) })
    t.strictSame(await faults({ 'terms.ndjson': lines(term(1)), 'contents.ndjson': lines(film(1, { terms: [1, 2] })) }, pruning), [
      'contents.ndjson:1: terms: the term 2 is not in the import, which removes it'
    ])
  })

  t.test('of a term takes it off the contents that stay, until both come again', async t => {
    const { run, counts, one, revision } = await importer(t)
    const contents = { 'contents.ndjson': lines(film(1, { terms: [1, 2] })) }
    await run({ 'terms.ndjson': lines(term(1), term(2)), ...contents })
    const before = await revision('contents')
    await run({ 'terms.ndjson': lines(term(1)) }, pruning)
    t.strictSame((await one('contents', 1))?.terms, [1])
    t.equal(await revision('contents'), before + 1)
    t.strictSame(await counts({ 'terms.ndjson': lines(term(1), term(2)), ...contents }, pruning), {
      terms: [1, 0, 1, 0],
      contents: [0, 1, 0, 0]
    })
    t.strictSame((await one('contents', 1))?.terms, [1, 2])
  })

  t.test('keeps terms that were given by their pair', async t => {
    const { run, all } = await importer(t)
    const free = (vendor_id: string) => ({ vendor_id, name: vendor_id, taxonomy: 'genre' })
    await run({ 'terms.ndjson': lines(free('a'), free('b')) })
    await run({ 'terms.ndjson': lines(free('b'), free('c')) }, pruning)
    t.strictSame(
      (await all('terms')).map(({ _id, vendor_id }) => [_id, vendor_id]),
      [
        [2, 'b'],
        [3, 'c']
      ]
    )
  })
})
