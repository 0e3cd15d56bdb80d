import t from 'tap'
import type { ViewerError } from '../../client/index.js'
import { addUser, password } from '../helpers/app.js'
import { seededUrl } from '../helpers/database.js'
import { until } from '../helpers/until.js'
import { clientOf, errorOf, kindOf, newViewer, serve } from './helper.js'

t.test('the sessions of a user', async t => {
  const { app, baseUrl } = await serve(t)
  const { email, _id } = await addUser(app, 'ada@example.com', 'Ada')
  const signedIn = async (device?: string) => {
    const { client, count } = clientOf(t, baseUrl)
    await client.signIn(email, password, device === undefined ? {} : { device })
    return { client, count }
  }
  const [tv, phone, laptop] = [await signedIn('TV'), await signedIn('Phone'), await signedIn()]

  t.test('are listed', async t => {
    t.strictSame(await tv.client.me(), { id: _id, email, name: 'Ada' })
    const sessions = await tv.client.sessions()
    const listed = sessions.map(({ device, current }) => `${device} ${current}`)
    t.strictSame(listed.sort(), ['Phone false', 'TV true', 'null false'])
  })

  t.test('end one by one, or all but the own', async t => {
    const { id = '' } = (await tv.client.sessions()).find(({ device }) => device === 'Phone') ?? {}
    t.match(await tv.client.endSession(id), { code: 200 })
    t.equal(await kindOf(phone.client.get('/history')), 'session-ended')
    t.match(await errorOf(tv.client.endSession(id)), { kind: 'refused', status: 404 })
    t.equal((await tv.client.sessions()).length, 2)
    await tv.client.endOtherSessions()
    t.equal(await kindOf(laptop.client.get('/history')), 'session-ended')
    t.match(await tv.client.sessions(), [{ device: 'TV' }])
  })
})

t.test('an app is told of the end of its session within seconds, also by another process', async t => {
  const url = await seededUrl(t, {})
  const [one, other] = [await serve(t, { url }), await serve(t, { url })]
  const { email } = await addUser(one.app)
  const ends: ViewerError[] = []
  const { client: tv } = clientOf(t, one.baseUrl, { onSessionEnd: error => ends.push(error) })
  const { client: phone } = clientOf(t, other.baseUrl)
  for (const client of [tv, phone]) await client.signIn(email, password)
  await tv.get('/history')
  await phone.endOtherSessions()
  const took = await until(async () => (await tv.get('/history').catch(() => undefined)) === undefined)
  t.ok(took < 3000, `${took}`)
  t.match(ends, [{ kind: 'session-ended' }])
  t.equal(await tv.user(), undefined)
})

t.test('the password', async t => {
  const { app, baseUrl } = await serve(t)
  const [{ client, count }, other] = [clientOf(t, baseUrl), clientOf(t, baseUrl)]
  t.equal(await kindOf(client.changePassword(password, 'a new password')), 'signed-out')
  const user = await newViewer(app, client)
  await other.client.signIn(user.email, password)

  const sent = count('PUT /me/password')
  t.match(await errorOf(client.changePassword('wrong', 'a new password')), { kind: 'wrong-credentials', status: 401 })
  t.equal(count('PUT /me/password'), sent + 1, 'a wrong password counts as one attempt')
  t.match(await errorOf(client.changePassword(password, 'short')), { kind: 'refused', fields: [{ field: 'new_password' }] })

  await client.changePassword(password, 'a new password')
  t.match(await client.me(), user, 'the session continues')
  t.equal(await kindOf(other.client.get('/history')), 'session-ended')
  await app.data.sessions.endAll(user.id)
  t.equal(await kindOf(client.changePassword('a new password', 'another password')), 'session-ended')
})
