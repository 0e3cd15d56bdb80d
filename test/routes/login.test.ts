import t from 'tap'
import { addUser, build, password } from '../helper.js'

t.test('POST /login', async t => {
  const app = await build(t)
  const user = await addUser(app, 'Ada@Example.com', 'Ada')

  t.test('signs in without regard to the case of the e-mail', async t => {
    const response = await app.inject({ method: 'POST', url: '/login', payload: { email: 'aDA@example.COM', password } })
    t.equal(response.statusCode, 200)
    t.match(response.json(), {
      success: true,
      data: { access_token: /^[\w-]+\.[\w-]+\.[\w-]+$/, token_type: 'Bearer', expires_in: 3600, user: { id: user._id, email: 'Ada@Example.com', name: 'Ada' } }
    })
  })
})
