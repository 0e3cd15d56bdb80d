import t from 'tap'
import { type App, addUser, build, password } from '../helpers/app.js'
import { until } from '../helpers/until.js'

const logIn = async (app: App, email: string) => {
  const response = await app.inject({ method: 'POST', url: '/login', payload: { email, password } })
  const { access_token, refresh_token } = response.json().data
  return { headers: { authorization: `Bearer ${access_token}` }, refresh_token }
}
const refresh = async (app: App, refresh_token: string) =>
  (await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token } })).statusCode

t.test('POST /logout', async t => {
  const app = await build(t)
  const { email } = await addUser(app)
  const logOut = (headers: Record<string, string>, payload?: string) =>
    app.inject({ method: 'POST', url: '/logout', headers, ...(payload === undefined ? {} : { payload }) })

  t.test('ends the session with its access token', async t => {
    const session = await logIn(app, email)
    const response = await logOut(session.headers)
    t.equal(response.statusCode, 200)
    const { message, ...rest } = response.json()
    t.type(message, 'string')
    t.not(message, '')
    t.strictSame(rest, { success: true, code: 200, 'message ': message })
    t.equal(await refresh(app, session.refresh_token), 401)
    t.equal((await logOut(session.headers)).statusCode, 401, 'a second time')
  })

  t.test('leaves the other sessions of the user and those of others alone', async t => {
    const other = await addUser(app)
    const [session, second, stranger] = [await logIn(app, email), await logIn(app, email), await logIn(app, other.email)]
    t.equal((await logOut(session.headers)).statusCode, 200)
    t.equal(await refresh(app, session.refresh_token), 401)
    t.equal(await refresh(app, second.refresh_token), 200)
    t.equal(await refresh(app, stranger.refresh_token), 200)
  })

  t.test('wants a token', async t => {
    const { statusCode, body } = await logOut({})
    t.equal(statusCode, 401)
    t.equal(body, JSON.stringify({ success: false, message: 'Unauthenticated.' }))
  })

  t.test('takes the access token of a user who was disabled for no longer than 2 s', async t => {
    const gone = await addUser(app)
    const { headers } = await logIn(app, gone.email)
    await app.data.users.disable(gone.email)
    t.ok((await until(async () => (await logOut(headers)).statusCode === 401)) < 2000)
  })

  for (const payload of [undefined, '', '{}', 'null', '[]', '{"everywhere":true}']) {
    t.test(`has no use for a body: ${payload}`, async t => {
      const { headers } = await logIn(app, email)
      t.equal((await logOut({ ...headers, 'content-type': 'application/json' }, payload)).statusCode, 200)
    })
  }

  t.test('tells a missing token before it looks at the body', async t => {
    t.equal((await logOut({ 'content-type': 'application/json' }, '{"a":')).statusCode, 401)
  })
})
