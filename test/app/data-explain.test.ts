import t from 'tap'
import { buildWith, content, databaseOf, idsOf } from '../catalogue-data.js'

interface Profile {
  ns: string
  planSummary: string
  docsExamined: number
  keysExamined: number
  nreturned: number
  command: { find: string; filter: object; sort?: object; projection?: object; $db: string }
}

/** What the database did for a search, as its profiler has it. */
t.test('a search reads an index and no more documents than it must', async t => {
  const app = await buildWith(t, {
    contents: Array.from({ length: 3000 }, (_, i) =>
      content(i + 1, {
        name: `Film ${i} ${i % 100 === 0 ? 'Rare' : 'Usual'}`,
        title: { en: i === 7 ? 'Zanzibar' : '' },
        description: { ja: '東京' }
      })
    )
  })
  const db = databaseOf(app)
  await db.command({ profile: 2 })
  t.teardown(() => db.command({ profile: 0 }))

  const searches: [string, number, number][] = [
    ['zanzibar', 1, 1],
    ['zanz', 1, 1],
    ['ZANZ', 1, 1],
    ['rare', 30, 30],
    ['zanzibar film', 1, 100],
    ['film zanzibar', 1, 100],
    ['nothing', 0, 0],
    ['.*zanzibar', 1, 1],
    ['(((', 0, 0]
  ]
  for (const [search, count, examined] of searches) {
    const response = await app.inject(`/contents?search=${encodeURIComponent(search)}&perPage=1`)
    if (response.statusCode === 400) continue
    t.equal(response.json().data.meta.total_count, count, search)
    const profiles = await db
      .collection<Profile>('system.profile')
      .find({ ns: `${db.databaseName}.contents`, 'command.find': 'contents', 'command.filter._id': { $exists: false } })
      .sort({ ts: -1 })
      .limit(1)
      .toArray()
    const [profile] = profiles
    t.match(profile?.planSummary, /^IXSCAN \{ words: 1 \}/, `${search}: ${profile?.planSummary}`)
    t.ok((profile?.docsExamined ?? Number.NaN) <= examined, `${search}: ${profile?.docsExamined} documents`)
    t.ok((profile?.keysExamined ?? Number.NaN) <= examined + 20, `${search}: ${profile?.keysExamined} keys`)

    const { executionStats } = await db
      .collection('contents')
      .find(profile?.command.filter ?? {})
      .explain('executionStats')
    t.notMatch(JSON.stringify(executionStats), /COLLSCAN/, `${search} scans no collection`)
  }

  t.test('none asks the database more than twice', async t => {
    const asked = () =>
      db.collection('system.profile').countDocuments({ ns: `${db.databaseName}.contents`, op: { $in: ['query', 'command', 'getmore'] } })
    for (const url of [
      '/contents?search=film&perPage=100&page=2',
      '/contents?perPage=100&page=9',
      '/contents?type=show&search=usual&page=3'
    ]) {
      const before = await asked()
      t.ok(idsOf(await app.inject(url)).length > 0)
      t.ok((await asked()) - before <= 2, `${url}: ${(await asked()) - before}`)
    }
  })
})
