import { hash } from '@node-rs/argon2'
import t from 'tap'
import { unauthenticated } from '../helpers/answers.js'
import { addUser, build, password, signIn } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'

const newPassword = 'staple battery horse correct'

t.test('GET /me', async t => {
  const app = await build(t)
  const user = await addUser(app, 'Ada@Example.com', 'Ada')
  const headers = await signIn(app, user)
  const get = async (given = headers) => app.inject({ url: '/me', headers: given })

  const answer = await get()
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), { success: true, data: { id: user._id, email: 'Ada@Example.com', name: 'Ada' } })
  t.equal(answer.headers['cache-control'], 'private, no-store')
  t.equal((await app.inject('/me')).body, unauthenticated)

  await databaseOf(app).collection<{ _id: number }>('users').deleteOne({ _id: user._id })
  const gone = await get()
  t.strictSame([gone.statusCode, gone.body], [401, unauthenticated], 'a user who does not exist any more')
})

t.test('PUT /me/password', async t => {
  const app = await build(t)
  const logIn = async (email: string, password: string) =>
    (await app.inject({ method: 'POST', url: '/login', payload: { email, password } })).statusCode

  t.test('changes the password and ends the other sessions', async t => {
    const user = await addUser(app)
    const [here, elsewhere, stranger] = [await signIn(app, user), await signIn(app, user), await viewerOf(app)]
    const change = () => app.inject({ method: 'PUT', url: '/me/password', headers: here, payload: { password, new_password: newPassword } })
    const answer = await change()
    t.equal(answer.statusCode, 200)
    t.match(answer.json(), { success: true, code: 200, 'message ': /\w/, message: /\w/ })
    const status = async (headers: Record<string, string>) => (await app.inject({ url: '/history', headers })).statusCode
    t.strictSame([await status(here), await status(elsewhere), await status(stranger.headers)], [200, 401, 200])
    t.strictSame([await logIn(user.email, password), await logIn(user.email, newPassword)], [401, 200])
    t.equal((await app.data.users.byId(user._id))?.session_epoch, 1, 'what was begun before is refused once')
    t.equal((await change()).statusCode, 401, 'the old password is wrong now')
  })

  t.test('refuses bad input', async t => {
    const viewer = await viewerOf(app)
    const bad: [string, unknown][] = [
      ...['1234567', 'x'.repeat(1001), '', 5, null, ['long enough'], undefined].map((new_password): [string, unknown] => [
        'new_password',
        { password, new_password }
      ]),
      ...['', 5, null, {}, undefined].map((password): [string, unknown] => ['password', { password, new_password: newPassword }])
    ]
    for (const [field, body] of bad) {
      const answer = await viewer.put('/me/password', body as object)
      t.equal(answer.statusCode, 400, JSON.stringify(body).slice(0, 80))
      t.match(answer.json(), { code: 400, errors: [{ field, message: /\w/ }] })
    }
    const answer = await app.inject({ method: 'PUT', url: '/me/password', payload: { password, new_password: newPassword } })
    t.strictSame([answer.statusCode, answer.body], [401, unauthenticated], 'without a token')
    for (const [old, next] of [
      [password, '📺'.repeat(8)],
      ['📺'.repeat(8), 'x'.repeat(1000)]
    ])
      t.equal((await viewer.put('/me/password', { password: old, new_password: next })).statusCode, 200, 'the shortest and the longest')
  })

  t.test('counts a wrong password as a failed login', async t => {
    const user = await addUser(app)
    const headers = await signIn(app, user)
    const put = (password: string) =>
      app.inject({ method: 'PUT', url: '/me/password', headers, payload: { password, new_password: newPassword } })
    for (let i = 0; i < 10; i++) {
      const answer = await put('wrong')
      t.strictSame([answer.statusCode, answer.body], [401, unauthenticated])
    }
    const answer = await put(password)
    t.equal(answer.statusCode, 429)
    t.match(answer.headers['retry-after'], /^\d+$/)
    t.equal(await logIn(user.email, password), 429)
    t.equal((await app.inject({ url: '/history', headers })).statusCode, 200, 'the session continues')
  })

  t.test('lets one of two changes at once win', async t => {
    const user = await addUser(app)
    const headers = await signIn(app, user)
    const passwords = ['a first new one', 'a second new one']
    const answers = await Promise.all(
      passwords.map(new_password => app.inject({ method: 'PUT', url: '/me/password', headers, payload: { password, new_password } }))
    )
    t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [200, 401])
    const logins = [await logIn(user.email, passwords[0] as string), await logIn(user.email, passwords[1] as string)]
    t.strictSame(
      logins,
      answers.map(({ statusCode }) => statusCode)
    )
  })
})

t.test('a login that is under way', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
  const slowHash = hash(password, { memoryCost: 256 * 1024, timeCost: 4, parallelism: 1 })
  const attempts = databaseOf(app).collection('login_attempts')
  /** Does something while the password is checked. */
  const logInWhile = async (act: (email: string) => Promise<unknown>) => {
    const user = await addUser(app, undefined, 'Slow', slowHash)
    await attempts.deleteMany({})
    const login = app.inject({ method: 'POST', url: '/login', payload: { email: user.email, password } })
    await until(async () => (await attempts.countDocuments()) === 3)
    await act(user.email)
    const { statusCode } = await login
    return { statusCode, sessions: (await app.data.sessions.list(user._id)).length }
  }
  t.strictSame(await logInWhile(async () => undefined), { statusCode: 200, sessions: 1 })
  t.strictSame(
    await logInWhile(async email => app.data.users.setPassword(email, 'x')),
    { statusCode: 401, sessions: 0 },
    'the password is changed'
  )
  t.strictSame(await logInWhile(async email => app.data.users.disable(email)), { statusCode: 401, sessions: 0 }, 'the user is disabled')
})
