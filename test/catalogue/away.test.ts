import t from 'tap'
import { build } from '../helpers/app.js'
import { change, seededUrl } from '../helpers/database.js'
import { content } from '../helpers/documents.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'
import { moveClock, nameOf, seed } from './helper.js'

// The timeout is that of production where the database is likeliest to need it.
for (const [away, settings] of [
  ['freeze', { DATABASE_TIMEOUT: '2000' }],
  ['silence', { DATABASE_TIMEOUT: '1000' }],
  ['leave', { DATABASE_TIMEOUT: '1000' }]
] as const) {
  t.test(`while the database is away (${away})`, async t => {
    const url = await seededUrl(t, { ...seed(), contents: [...seed().contents, content(9, { type: 'unread', parent_id: 1 })] })
    const proxy = await proxyTo(t, url)
    const app = await build(t, { url: proxy.url, settings })
    const known = [
      '/contents?type=show',
      '/contents/1',
      '/terms',
      '/terms/1',
      '/rail-collections?with=rails',
      '/legal',
      '/support/context//texts'
    ]
    const viewer = await viewerOf(app)
    const answers = new Map<string, string>()
    for (const address of known) answers.set(address, (await app.inject(address)).body)

    proxy[away]()
    const assertKnown = async (what: string) => {
      for (const address of known) {
        const response = await app.inject(address)
        t.equal(response.statusCode, 200, `${address} ${what}`)
        t.equal(response.body, answers.get(address), `${address} ${what}`)
      }
    }
    const assertUnavailable = async (address: string) => {
      const began = performance.now()
      const response = await app.inject(address)
      const took = performance.now() - began
      t.equal(response.statusCode, 503, address)
      t.match(response.json(), { success: false, code: 503, message: String })
      t.match(response.headers['retry-after'], /^\d+$/)
      t.notMatch(response.headers['cache-control'], /public/)
      t.ok(took < 3000, `${address} took ${took} ms`)
    }
    await assertKnown('is served')
    await Promise.all(['/contents?search=9', '/contents/9', '/contents?type=unread'].map(assertUnavailable))
    await assertKnown('is served on')

    let restore = moveClock(t, 50_000)
    await assertKnown('is served for nearly a minute')
    restore()
    restore = moveClock(t, 63_000)
    for (const address of known) await assertUnavailable(address)
    for (const path of ['/history', '/watchlist'])
      t.equal((await viewer.post(path, { content_id: 404 })).statusCode, 503, `POST ${path} cannot know whether the content is new`)

    proxy.comeBack()
    const back = Date.now()
    await until(async () => (await app.inject('/contents/1')).statusCode === 200, { within: 6000, every: 50 })
    for (const address of [...known, '/contents?search=9', '/contents/9'])
      await until(async () => (await app.inject(address)).statusCode === 200, { within: 6000, every: 50 })
    t.ok(Date.now() - back < 5000, `normal after ${Date.now() - back} ms`)
    await assertKnown('is served again')
    restore()

    const direct = await build(t, { url })
    await change(direct, 'contents', 1, { name: 'After' })
    t.ok((await until(async () => (await nameOf(app, 1)) === 'After')) < 2000, 'changes show again')
  })
}
