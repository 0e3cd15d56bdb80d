import t from 'tap'
import { buildWith, content, databaseOf, idsOf } from '../catalogue-data.js'

t.test('lists of contents', async t => {
  const app = await buildWith(t, {
    contents: Array.from({ length: 3000 }, (_, i) => content(i + 1, { name: `Film ${i}` }))
  })
  const db = databaseOf(app)
  await db.command({ profile: 2 })
  t.teardown(() => db.command({ profile: 0 }))
  const asked = () =>
    db.collection('system.profile').countDocuments({ ns: `${db.databaseName}.contents`, 'command.filter._id.$in': { $exists: true } })

  for (const url of ['/contents?search=film&perPage=100&page=2', '/contents?perPage=100&page=9', '/contents?type=show&search=fil&page=3']) {
    t.test(`${url} asks the database once at most, and nothing when its contents are known`, async t => {
      const before = await asked()
      t.ok(idsOf(await app.inject(url)).length > 0)
      t.ok((await asked()) - before <= 1)
      const after = await asked()
      t.ok(idsOf(await app.inject(`${url}&order_by=weight`)).length > 0)
      t.equal(await asked(), after)
    })
  }
})
