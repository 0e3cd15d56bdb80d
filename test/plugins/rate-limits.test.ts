import t, { type Test } from 'tap'
import { type Answer, assertFailure, malformed, post } from '../helpers/answers.js'
import { type App, addUser, build, signIn } from '../helpers/app.js'

t.test('rate limits', async t => {
  const assertTooMany = (t: Test, response: Answer, what: string) => {
    assertFailure(t, response, 429, what)
    t.match(response.headers['retry-after'], /^([1-9]|[1-5]\d|60)$/, what)
  }
  const get = (app: App, url: string, headers = {}, remoteAddress = '127.0.0.1') => app.inject({ url, headers, remoteAddress })

  t.test('RATE_LIMIT counts by user, at whichever address', async t => {
    const app = await build(t, { settings: { RATE_LIMIT: '3' } })
    const [user, other] = [await addUser(app), await addUser(app)]
    const logOut = async (who: { _id: number }, address: string) =>
      app.inject({ method: 'POST', url: '/logout', headers: await signIn(app, who), remoteAddress: address })
    for (let i = 1; i <= 3; i++) t.equal((await logOut(user, `192.0.2.${i}`)).statusCode, 200)
    assertTooMany(t, await logOut(user, '192.0.2.4'), 'with another token and another address')
    assertTooMany(t, await get(app, '/openapi.json', await signIn(app, user)), 'where no token is required')
    t.equal((await logOut(other, '192.0.2.1')).statusCode, 200, 'another user is not limited')
    const child = { _id: Number(await app.data.profiles.add(other._id, { name: 'Child' })) }
    const statuses: number[] = []
    for (const who of [child, other, child, other]) statuses.push((await get(app, '/contents', await signIn(app, who))).statusCode)
    t.strictSame(statuses, [200, 200, 429, 429], 'all profiles of an account count together')
    for (let i = 0; i < 6; i++)
      t.equal((await get(app, '/openapi.json')).statusCode, 200, 'requests without a token are counted separately')
    for (const url of ['/health', '/ready']) t.equal((await get(app, url, await signIn(app, user))).statusCode, 200, url)
  })

  t.test('RATE_LIMIT_ADDRESS counts by address', async t => {
    const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '6' } })
    const signedIn = await signIn(app)
    const forged = { authorization: 'Bearer nonsense' }
    const counted = [
      await get(app, '/nothing'),
      await get(app, '/login'),
      await get(app, '/openapi.json'),
      await get(app, '/login', forged),
      await post(app, '/logout', '', forged),
      await post(app, '/login', malformed)
    ]
    t.strictSame(
      counted.map(({ statusCode }) => statusCode),
      [404, 405, 200, 405, 401, 400]
    )
    assertTooMany(t, await get(app, '/openapi.json'), 'a known path')
    assertTooMany(t, await get(app, '/nothing'), 'an unknown path')
    assertTooMany(t, await get(app, '/nothing', forged), 'an invalid token')
    assertTooMany(t, await get(app, '/login'), 'a wrong method')
    assertTooMany(t, await get(app, '/%'), 'malformed percent-encoding')
    assertTooMany(t, await post(app, '/login', malformed), 'a malformed body')
    assertTooMany(
      t,
      await app.inject({ url: '/openapi.json', headers: { 'x-forwarded-for': '198.51.100.1' } }),
      'a forwarded address from an untrusted proxy'
    )
    t.equal((await get(app, '/openapi.json', {}, '192.0.2.9')).statusCode, 200, 'another address is not limited')
    t.equal((await get(app, '/openapi.json', signedIn)).statusCode, 200, 'a user at that address is not limited')
    for (let i = 0; i < 10; i++) for (const url of ['/health', '/ready']) t.equal((await get(app, url)).statusCode, 200, url)
  })

  t.test('/health and /ready use nothing up', async t => {
    const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '2' } })
    for (let i = 0; i < 5; i++) for (const url of ['/health', '/ready']) await get(app, url)
    t.strictSame(
      [(await get(app, '/nothing')).statusCode, (await get(app, '/nothing')).statusCode, (await get(app, '/nothing')).statusCode],
      [404, 404, 429]
    )
  })

  t.test('count forwarded addresses behind a trusted proxy', async t => {
    for (const TRUST_PROXY of ['1', '127.0.0.0/8', '10.0.0.0/8, 127.0.0.1']) {
      const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '1', TRUST_PROXY } })
      const from = async (forwarded: string, address?: string) =>
        (await get(app, '/nothing', { 'x-forwarded-for': forwarded }, address)).statusCode
      t.equal(await from('198.51.100.1'), 404)
      t.equal(await from('198.51.100.1'), 429)
      t.equal(await from('198.51.100.2'), 404)
      t.equal(await from('203.0.113.5, 198.51.100.1'), 429, 'the part of the header that the caller wrote is ignored')
      if (TRUST_PROXY === '1') continue
      t.equal(await from('198.51.100.3', '203.0.113.9'), 404)
      t.equal(await from('198.51.100.4', '203.0.113.9'), 429, 'an address outside the networks is not a proxy')
    }
  })

  t.test('count the hop that TRUST_PROXY says', async t => {
    const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '1', TRUST_PROXY: '2' } })
    const from = async (forwarded: string) => (await get(app, '/nothing', { 'x-forwarded-for': forwarded })).statusCode
    t.equal(await from('203.0.113.1, 198.51.100.1, 10.0.0.1'), 404)
    t.equal(await from('203.0.113.2, 198.51.100.1, 10.0.0.2'), 429)
    t.equal(await from('203.0.113.2, 198.51.100.2, 10.0.0.2'), 404)
  })

  t.test('0 turns them off', async t => {
    const app = await build(t, { settings: { RATE_LIMIT: '0', RATE_LIMIT_ADDRESS: '0' } })
    const answers = await Promise.all(Array.from({ length: 700 }, () => get(app, '/nothing')))
    t.ok(answers.every(({ statusCode }) => statusCode === 404))
    t.notOk(Object.keys(answers[0]?.headers ?? {}).some(name => name.startsWith('x-ratelimit')))
  })
})
