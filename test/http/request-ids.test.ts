import t from 'tap'
import { requestId } from '../../src/http/request-ids.js'
import { malformed, post } from '../helpers/answers.js'
import { addUser, build, password } from '../helpers/app.js'

t.test('no two requests have the same id', async t => {
  const ids = Array.from({ length: 1000 }, requestId)
  for (const id of ids) if (!/^[0-9a-f]{32}$/.test(id)) t.fail(id)
  t.equal(new Set(ids).size, ids.length)
})

t.test('every answer is named', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
  const { email } = await addUser(app)
  const credentials = JSON.stringify({ email, password })
  const answers = [
    await app.inject('/health'),
    await app.inject('/nothing'),
    await app.inject('/%'),
    await app.inject('/login'),
    await post(app, '/login', malformed),
    await post(app, '/logout', ''),
    await post(app, '/login', 'x'.repeat(70_000)),
    await post(app, '/login', credentials)
  ]
  const ids = answers.map(({ headers }) => headers['x-request-id'])
  for (const [i, id] of ids.entries()) t.match(id, /^[\w-]{8,}$/, String(answers[i]?.statusCode))
  t.equal(new Set(ids).size, ids.length)
  const own = await app.inject({ url: '/health', headers: { 'x-request-id': 'evil\nid', 'request-id': 'evil' } })
  t.notMatch(own.headers['x-request-id'], 'evil')
})
