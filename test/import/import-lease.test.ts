import t from 'tap'
import { leasesOf } from '../../src/data/leases.js'
import { importLease, withImportLease } from '../../src/import/import-lease.js'
import { until } from '../helpers/until.js'
import { importer } from './helper.js'

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
