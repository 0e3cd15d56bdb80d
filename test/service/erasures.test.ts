import t from 'tap'
import { build, password } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { type Viewer, viewerOf } from '../helpers/viewer.js'

t.test('a user that one process erases is refused by the others within 2 s, and nothing comes back', async t => {
  const url = await seededUrl(t, { contents: Array.from({ length: 50 }, (_, i) => film(i + 1)) })
  const [one, two] = [await build(t, { url }), await build(t, { url })]
  const viewer = await viewerOf(one)
  const elsewhere: Viewer = {
    ...viewer,
    post: (path, payload = {}) => two.inject({ method: 'POST', url: path, headers: viewer.headers, payload })
  }
  const left = async () => {
    const counts = ['history', 'watchlist', 'sessions'].map(name => databaseOf(one).collection(name).countDocuments({ user_id: viewer.id }))
    return (await Promise.all(counts)).reduce((sum, count) => sum + count)
  }

  t.equal((await elsewhere.post('/history', { content_id: 1, time: 1 })).statusCode, 201)
  t.equal((await viewer.remove('/me', { password })).statusCode, 200)
  t.equal(await left(), 0)
  t.equal((await viewer.get('/history')).statusCode, 401, 'the process that erased the user refuses the token at once')
  let accepted = 0
  const refused = await until(async () => {
    const { statusCode } = await elsewhere.post('/history', { content_id: accepted + 2, time: 1 })
    if (statusCode === 201) accepted++
    return statusCode === 401
  })
  t.ok(refused < 2000, `${refused} ms`)
  await two.data.watchlist.add(viewer.id, 1)
  t.ok((await left()) > 0, 'a request that was in flight has written something')
  await until(async () => (await left()) === 0)

  const later = await build(t, { url })
  t.equal(
    (await later.inject({ url: '/history', headers: viewer.headers })).statusCode,
    401,
    'a process that starts later refuses it as well'
  )
})
