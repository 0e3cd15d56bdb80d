import t from 'tap'
import { unauthenticated } from '../../src/errors.js'
import { addUser, build, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'

const address = '192.0.2.1'

t.test('the password of a signed-in user is checked within the limits of the login', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '3' } })
  const { confirmPassword, authenticate } = app.passwordChecks
  const { _id, email } = await addUser(app)
  const other = await addUser(app, 'other@example.com', 'Other')

  t.equal((await confirmPassword(_id, password, address))._id, _id)
  for (let failure = 0; failure < 2; failure++) await t.rejects(confirmPassword(_id, 'wrong', address), unauthenticated())
  await t.rejects(authenticate(email, 'wrong', address), unauthenticated())
  await t.rejects(confirmPassword(_id, password, address), { message: 'Too many login attempts, try again later' })
  await t.rejects(authenticate(email, password, address), { message: 'Too many login attempts, try again later' })
  t.equal((await confirmPassword(other._id, password, address))._id, other._id, 'another user has a separate limit')
  t.equal((await confirmPassword(_id, password, '192.0.2.2'))._id, _id, 'so has another address')

  await app.data.users.disable(other._id)
  await t.rejects(confirmPassword(other._id, password, address), unauthenticated())
  const users = databaseOf(app).collection<{ _id: number }>('users')
  await users.updateOne({ _id: other._id }, { $unset: { email: '', email_key: '' } })
  for (const id of [other._id, 404]) await t.rejects(confirmPassword(id, password, address), unauthenticated())
})
