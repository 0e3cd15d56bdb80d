import t from 'tap'
import { password } from '../helpers/app.js'
import { clientOf, createStore, errorOf, kindOf, newViewer, serve } from './helper.js'

t.test('the account of a user is exported and erased', async t => {
  const { app, baseUrl } = await serve(t)
  const store = createStore()
  const { client, count } = clientOf(t, baseUrl, { store })
  t.equal(await kindOf(client.exportMe()), 'signed-out')
  t.equal(await kindOf(client.eraseMe(password)), 'signed-out')
  const user = await newViewer(app, client)
  await client.report({ content_id: 1, time: 60, percentage: 10 })
  t.match(await client.exportMe(), { users: [user], history: [{ content_id: 1, time: 60 }], watchlist: [], hidden: [] })

  const sent = count('DELETE /me')
  t.match(await errorOf(client.eraseMe('wrong')), { kind: 'wrong-credentials', status: 401 })
  t.equal(count('DELETE /me'), sent + 1, 'a wrong password counts as one attempt')
  t.match(await client.user(), user)

  const unsent = { content_id: 2, time: 1, percentage: 1, observed: 1 }
  await store.save('reports', [
    { ...unsent, user_id: user.id },
    { ...unsent, user_id: user.id + 1 }
  ])
  await client.sync()
  await client.eraseMe(password)
  t.equal(await store.load(`copy-${user.id}`), null)
  t.equal(await client.user(), undefined)
  t.strictSame(
    (await store.load('reports'))?.map(({ user_id }) => user_id),
    [user.id + 1],
    'reports of another user stay'
  )
  t.equal(await app.data.users.byId(user.id), null)
  t.equal(await kindOf(client.get('/history')), 'signed-out')
})
