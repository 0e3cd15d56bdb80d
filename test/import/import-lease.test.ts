import t from 'tap'
import { leasesOf } from '../../src/data/leases.js'
import { importLease, withImportLease } from '../../src/import/import-lease.js'
import { until } from '../helpers/until.js'
import { film, importer, lines, term } from './helper.js'

t.test('an import begins when another one has ended', async t => {
  const { db } = await importer(t)
  const { signal } = new AbortController()
  const said: string[] = []
  const onWait = () => said.push('waiting')
  t.strictSame(await withImportLease(db, async () => ['first'], { onWait, signal }), ['first'])
  t.strictSame(said, [])

  let second: Promise<unknown> = Promise.resolve()
  await leasesOf(db).withLease(importLease, async () => {
    const work = async () => {
      said.push('second')
      return ['second']
    }
    second = withImportLease(db, work, { onWait, signal })
    await until(() => said.length > 0)
    said.push('first ends')
    return true
  })
  t.strictSame(await second, ['second'])
  t.strictSame(said, ['waiting', 'first ends', 'second'])
})

t.test('waiting can be stopped', async t => {
  const { db } = await importer(t)
  const stop = new AbortController()
  const held = await leasesOf(db).withLease(importLease, async () => {
    t.equal(await withImportLease(db, async () => ['never'], { onWait: () => stop.abort(), signal: stop.signal }), undefined)
    return true
  })
  t.ok(held)
})

t.test('an import whose lease ran out writes nothing more', async t => {
  const { db, run, all } = await importer(t)
  const leases = db.collection<{ _id: string }>('leases')
  /** Another process imports as soon as this one has reached the step. */
  const losingAt = async (texts: Record<string, string>, at: 'check' | 'write' | 'prune') => {
    const before = await Promise.all([all('contents'), all('terms')])
    let lost: Promise<unknown> | undefined
    const lose = async () => {
      await leases.updateOne({ _id: importLease }, [{ $set: { expires_at: '$$NOW' } }])
      await leasesOf(db).withLease(importLease, async () => true)
    }
    const imported = leasesOf(db).withLease(importLease, ({ confirm }) =>
      run(texts, {
        prune: at === 'prune',
        onProgress: ({ step, done, total }) => {
          if (step === at || (at === 'prune' && step === 'write' && done === total)) lost ??= lose()
        },
        // Whatever is to be written waits until the lease is lost.
        confirm: async () => {
          await lost
          return confirm()
        }
      })
    )
    await t.rejects(imported, { message: /^The lease of this import ran out/ })
    t.ok(lost)
    return { before, after: await Promise.all([all('contents'), all('terms')]) }
  }

  const checked = await losingAt({ 'contents.ndjson': lines(film(1)) }, 'check')
  t.strictSame(checked.after, checked.before, 'nothing is written')

  const many = lines(...Array.from({ length: 3500 }, (_, at) => film(at + 1)))
  const { after } = await losingAt({ 'contents.ndjson': many }, 'write')
  t.equal(after[0].length, 1000, 'the first batch, and none after it')

  await run({ 'terms.ndjson': lines(term(1), term(2)), 'contents.ndjson': lines(film(1), film(2, { terms: [2] })) })
  for (const texts of [{ 'contents.ndjson': lines(film(1)) }, { 'terms.ndjson': lines(term(1)) }] as Record<string, string>[]) {
    const pruned = await losingAt(texts, 'prune')
    t.strictSame(pruned.after, pruned.before, 'nothing is removed')
  }
})
