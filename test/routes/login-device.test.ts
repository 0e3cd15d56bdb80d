import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { codesPerAddress, sharedBucket } from '../../src/identity/attempts.js'
import { minutes } from '../../src/time.js'
import { type App, addUser, build, password, signIn } from '../helpers/app.js'
import { appUrl, databaseOf } from '../helpers/database.js'
import { proxyTo } from '../helpers/proxy.js'
import { assertDone, assertError, wantToken } from './helper.js'

interface Codes {
  device_code: string
  user_code: string
}

const request = (app: App, payload?: unknown, remoteAddress?: string) =>
  app.inject({
    method: 'POST',
    url: '/login/device',
    ...(payload !== undefined && { payload: payload as object }),
    ...(remoteAddress && { remoteAddress })
  })
const newCodes = async (app: App, device?: string): Promise<Codes> =>
  (await request(app, device === undefined ? {} : { device })).json().data
const ask = (app: App, device_code: unknown) => app.inject({ method: 'POST', url: '/login/device/token', payload: { device_code } })

/** A signed-in user, as the page of the app that shows and approves codes. */
const pageOf = async (app: App, remoteAddress = '127.0.0.1') => {
  const user = await addUser(app)
  const headers = await signIn(app, user)
  const url = (code: string) => `/login/device/${encodeURIComponent(code)}`
  return {
    user,
    headers,
    look: (code: string) => app.inject({ url: url(code), headers, remoteAddress }),
    decide: (code: string, approve: unknown) =>
      app.inject({ method: 'POST', url: url(code), headers, remoteAddress, payload: { approve } }),
    call: (method: 'POST' | 'DELETE' | 'PUT', url: string, payload?: object) =>
      app.inject({ method, url, headers, ...(payload && { payload }) })
  }
}

const messages = {
  authorization_pending: 'The code has not been approved yet, try again later',
  slow_down: 'The device is polling too often and must wait 5 seconds longer',
  expired_token: 'The code has expired or was used, get a new one',
  access_denied: 'The sign-in was denied'
}

const lives = async (app: App, { access_token }: { access_token: string }) =>
  (await app.inject({ url: '/history', headers: { authorization: `Bearer ${access_token}` } })).statusCode === 200

t.test('a device without a keyboard', async t => {
  const app = await build(t)
  const codes = databaseOf(app).collection('device_codes')
  const attempts = databaseOf(app).collection<{ _id: string }>('login_attempts')
  t.beforeEach(() => attempts.deleteMany({}))

  const assertRefused = async (device_code: unknown, error: keyof typeof messages, what = '') => {
    const answer = await ask(app, device_code)
    t.strictSame(
      [answer.statusCode, answer.body, answer.headers['cache-control']],
      [400, JSON.stringify({ success: false, code: 400, error, message: messages[error] }), 'no-store'],
      what || error
    )
  }
  /** As if the device had waited for these seconds since it asked. */
  const wait = (seconds: number) =>
    codes.updateMany({ asked_at: { $exists: true } }, [{ $set: { asked_at: { $subtract: ['$asked_at', seconds * 1000] } } }])

  t.test('signs in with a code that a user approves', async t => {
    const page = await pageOf(app)
    const issued = await request(app, { device: 'Living room TV' })
    t.equal(issued.statusCode, 200)
    t.equal(issued.headers['cache-control'], 'private, no-store')
    const { success, data } = issued.json()
    const { device_code, user_code, ...rest } = data
    t.equal(success, true)
    t.match(device_code, /^[\w-]{43}$/)
    t.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    t.strictSame(rest, {
      verification_uri: 'https://app.example.com/tv',
      verification_uri_complete: `https://app.example.com/tv?user_code=${user_code}`,
      expires_in: 600,
      interval: 5
    })

    await assertRefused(device_code, 'authorization_pending')
    const shown = await page.look(user_code)
    t.equal(shown.statusCode, 200)
    t.match(shown.json(), { success: true, data: { device: 'Living room TV', created_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/ } })
    t.strictSame(Object.keys(shown.json().data), ['device', 'created_at'])
    t.ok(Math.abs(Date.parse(shown.json().data.created_at) - Date.now()) < 10_000)

    const approved = await page.decide(user_code, true)
    assertDone(t, approved, 200)
    t.equal(approved.json().message, 'The device was approved')
    await wait(5)
    const answer = await ask(app, device_code)
    t.equal(answer.statusCode, 200)
    const signedIn = answer.json().data
    t.match(signedIn, { token_type: 'Bearer', expires_in: 3600, refresh_token: /./, user: { id: page.user._id, email: page.user.email } })
    t.equal(await lives(app, signedIn), true)
    const sessions = await app.inject({ url: '/sessions', headers: { authorization: `Bearer ${signedIn.access_token}` } })
    t.match(
      sessions.json().data.find(({ current }: { current: boolean }) => current),
      { device: 'Living room TV' }
    )
    const renewed = await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token: signedIn.refresh_token } })
    t.equal(renewed.statusCode, 200)

    await assertRefused(device_code, 'expired_token', 'a code works once')
    await assertRefused(device_code, 'expired_token')
    assertError(t, await page.look(user_code), 404, 404, 'Resource not found')
    t.equal((await (await pageOf(app)).decide(user_code, true)).statusCode, 404)
  })

  t.test('needs no name', async t => {
    const page = await pageOf(app)
    for (const payload of [undefined, {}, { device: '' }, { other: 1 }]) {
      const { user_code } = (await request(app, payload)).json().data
      t.strictSame((await page.look(user_code)).json().data.device, null, JSON.stringify(payload))
    }
  })

  t.test('has any name that a login takes', async t => {
    const page = await pageOf(app)
    for (const device of ['x'.repeat(100), '📺'.repeat(100), '$device_code', '$$NOW', '<b>']) {
      const { user_code } = await newCodes(app, device)
      t.equal((await page.look(user_code)).json().data.device, device)
    }
    for (const device of ['x'.repeat(101), '📺'.repeat(101), 'a\nb', '\u0000', '\u009f', null, 1, ['x'], {}]) {
      const answer = await request(app, { device })
      t.equal(answer.statusCode, 400)
      t.match(answer.json(), { success: false, code: 400, errors: [{ field: 'device' }] }, JSON.stringify(device))
    }
    for (const payload of ['null', '[]', '"x"', '{']) t.equal((await request(app, payload)).statusCode, 400, payload)
  })

  t.test('is denied', async t => {
    const page = await pageOf(app)
    const { device_code, user_code } = await newCodes(app)
    const denied = await page.decide(user_code, false)
    assertDone(t, denied, 200)
    t.equal(denied.json().message, 'The device was denied')
    await assertRefused(device_code, 'access_denied')
    await wait(5)
    await assertRefused(device_code, 'access_denied', 'for as long as the code is valid')
    assertError(t, await page.decide(user_code, true), 404, 404, 'Resource not found', 'the first decision counts')
  })

  t.test('stays approved after the same user has approved it again, or wants to deny it', async t => {
    const page = await pageOf(app)
    const { device_code, user_code } = await newCodes(app)
    for (let i = 0; i < 2; i++) assertDone(t, await page.decide(user_code, true), 200)
    assertError(t, await page.decide(user_code, false), 404, 404, 'Resource not found')
    t.equal((await ask(app, device_code)).statusCode, 200)
  })

  t.test('is slowed down when it asks too early', async t => {
    const page = await pageOf(app)
    const { device_code, user_code } = await newCodes(app)
    await assertRefused(device_code, 'authorization_pending')
    await assertRefused(device_code, 'slow_down')
    await wait(9.5)
    await assertRefused(device_code, 'slow_down', 'the interval is now 10 seconds')
    await page.decide(user_code, true)
    await wait(14.5)
    await assertRefused(device_code, 'slow_down', 'an approval is not revealed early')
    await wait(20)
    t.equal((await ask(app, device_code)).statusCode, 200)

    const { device_code: other } = await newCodes(app)
    await Promise.all(Array.from({ length: 10 }, () => ask(app, other)))
    t.equal((await codes.findOne({}, { sort: { created_at: -1 } }))?.interval, 5 + 9 * 5, 'all but one of ten simultaneous polls')
  })

  t.test('gets tokens once, however many ask at once', async t => {
    const page = await pageOf(app)
    for (let round = 0; round < 10; round++) {
      const { device_code, user_code } = await newCodes(app)
      await page.decide(user_code, true)
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(app, device_code)))
      t.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
    }
  })

  t.test('belongs to one of two users who approve it at once', async t => {
    const [ada, bob] = [await pageOf(app), await pageOf(app)]
    for (let round = 0; round < 10; round++) {
      const { device_code, user_code } = await newCodes(app)
      const decisions = await Promise.all([ada, bob].map(page => page.decide(user_code, true)))
      t.strictSame(decisions.map(({ statusCode }) => statusCode).sort(), [200, 404])
      const winner = decisions[0]?.statusCode === 200 ? ada : bob
      t.equal((await ask(app, device_code)).json().data.user.id, winner.user._id)
    }
  })

  t.test('waits for ten minutes', async t => {
    const page = await pageOf(app)
    const [late, approved, living] = [await newCodes(app), await newCodes(app), await newCodes(app)]
    await page.decide(approved.user_code, true)
    const age = async (milliseconds: number) =>
      codes.updateMany({}, [{ $set: { expires_at: { $subtract: ['$expires_at', milliseconds] } } }])
    await age(minutes(10) - 5000)
    t.equal((await page.look(living.user_code)).statusCode, 200)
    await age(5000)
    for (const { device_code } of [late, approved]) await assertRefused(device_code, 'expired_token')
    assertError(t, await page.look(late.user_code), 404, 404, 'Resource not found')
    assertError(t, await page.decide(late.user_code, true), 404, 404, 'Resource not found')
  })

  t.test('takes the code as people type it', async t => {
    const page = await pageOf(app)
    const { user_code } = await newCodes(app)
    const bare = user_code.replace('-', '')
    const typed = [bare, user_code.toLowerCase(), ` ${bare} `, bare.split('').join(' '), user_code.replace('-', ' – '), `${bare}-`]
    for (const code of typed) t.equal((await page.look(code)).statusCode, 200, code)
    t.equal((await page.decide(bare.toLowerCase(), true)).statusCode, 200)
  })

  t.test('has no other code', async t => {
    const { user_code, device_code } = await newCodes(app)
    const wrong = [
      '',
      'x',
      user_code.slice(0, 8),
      `${user_code}B`,
      'AAAA-AAAA',
      '%00',
      '$ne',
      '[object Object]',
      device_code,
      'x'.repeat(5000)
    ]
    for (const code of wrong) {
      const page = await pageOf(app)
      assertError(t, await page.look(code), 404, 404, 'Resource not found', code.slice(0, 50))
      assertError(t, await page.decide(code, true), 404, 404, 'Resource not found', code.slice(0, 50))
    }
    const unknown = [
      'x',
      user_code,
      'eyJhbGciOiJIUzI1NiJ9.e30.x',
      '\u0000',
      '$ne',
      'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS',
      'x'.repeat(60_000)
    ]
    for (const code of unknown) await assertRefused(code, 'expired_token', code.slice(0, 50))
    for (const code of ['', undefined, null, 5, [device_code], { $ne: '' }]) {
      const answer = await ask(app, code)
      t.match([answer.statusCode, answer.json()], [400, { code: 400, errors: [{ field: 'device_code' }] }], JSON.stringify(code))
    }
  })

  t.test('takes nothing but a decision', async t => {
    const page = await pageOf(app)
    const { user_code, device_code } = await newCodes(app)
    for (const approve of [undefined, null, 'true', 1, [], {}]) {
      const answer = await page.decide(user_code, approve)
      t.match([answer.statusCode, answer.json()], [400, { errors: [{ field: 'approve' }] }], JSON.stringify(approve))
    }
    await assertRefused(device_code, 'authorization_pending')
    await wantToken(t, app, page.headers.authorization.slice('Bearer '.length), [
      ['GET', `/login/device/${user_code}`],
      ['POST', `/login/device/${user_code}`, '{"approve":true}']
    ])
  })

  t.test('is no device of a user who is disabled, erased or ends the session', async t => {
    const assertRefusedAfter = async (
      error: keyof typeof messages,
      end: (page: Awaited<ReturnType<typeof pageOf>>) => Promise<unknown>
    ) => {
      const page = await pageOf(app)
      const { device_code, user_code } = await newCodes(app, 'TV')
      await page.decide(user_code, true)
      await end(page)
      await assertRefused(device_code, error, String(end))
      t.strictSame(await app.data.sessions.list(page.user._id).then(found => found.filter(({ device }) => device === 'TV')), [])
    }
    await assertRefusedAfter('access_denied', ({ user }) => app.data.users.disable(user._id))
    await assertRefusedAfter('access_denied', ({ user }) => app.data.users.remove(user._id))
    await assertRefusedAfter('expired_token', page => page.call('DELETE', '/me', { password }))
    await assertRefusedAfter('expired_token', page => page.call('DELETE', '/sessions'))
    await assertRefusedAfter('expired_token', page => page.call('DELETE', '/sessions?others=true'))
    await assertRefusedAfter('expired_token', page => page.call('PUT', '/me/password', { password, new_password: 'another password' }))
    await assertRefusedAfter('expired_token', async page => {
      const other = await signIn(app, page.user)
      const [mine] = (await app.data.sessions.list(page.user._id)).slice(-1)
      await app.inject({ method: 'DELETE', url: `/sessions/${mine?._id}`, headers: other })
    })
  })

  t.test('stays signed in after the user has left the page that approved it', async t => {
    const page = await pageOf(app)
    const { device_code, user_code } = await newCodes(app)
    await page.decide(user_code, true)
    await page.call('POST', '/logout')
    t.equal(await lives(app, (await ask(app, device_code)).json().data), true)
  })

  t.test('does not survive an end of all sessions that comes at the same time', async t => {
    const won = { device: 0, end: 0 }
    // The later the end comes, the more often the device is first.
    for (let delay = 0; delay < 200 && won.device < 5; delay++) {
      const page = await pageOf(app)
      const { device_code, user_code } = await newCodes(app)
      await page.decide(user_code, true)
      const asking = ask(app, device_code)
      await sleep(delay)
      const [asked, ended] = await Promise.all([asking, page.call('DELETE', '/sessions')])
      t.equal(ended.statusCode, 200)
      const isIn = asked.statusCode === 200
      won[isIn ? 'device' : 'end']++
      if (isIn) t.equal(await lives(app, asked.json().data), false)
    }
    t.ok(won.device > 0 && won.end > 0, `either may come first: ${JSON.stringify(won)}`)
  })

  t.test('and its codes are not in the database', async t => {
    const { device_code, user_code } = await newCodes(app)
    const stored = JSON.stringify(await codes.find().toArray())
    for (const secret of [device_code, user_code, user_code.replace('-', '')]) t.notOk(stored.includes(secret))
  })

  t.test('gets a limited number of codes at one address', async t => {
    t.equal((await request(app, {}, '192.0.2.1')).statusCode, 200)
    await attempts.updateMany({}, { $set: { count: codesPerAddress - 1 } })
    t.equal((await request(app, {}, '192.0.2.1')).statusCode, 200)
    const before = await codes.countDocuments()
    const answer = await request(app, {}, '192.0.2.1')
    assertError(t, answer, 429, 429, 'Too many requests, try again later')
    t.ok(Number(answer.headers['retry-after']) > 800)
    t.equal(await codes.countDocuments(), before)
    t.equal((await request(app, {}, '192.0.2.2')).statusCode, 200)
  })

  t.test('is not found by guessing: ten wrong codes a user', async t => {
    const [guesser, honest] = [await pageOf(app), await pageOf(app)]
    const { user_code } = await newCodes(app)
    for (let i = 0; i < 5; i++) {
      assertError(t, await guesser.look('BBBB-BBBB'), 404, 404, 'Resource not found')
      t.equal((await guesser.look(user_code)).statusCode, 200, 'a correct code is not counted')
      assertError(t, await guesser.decide('CCCC-CCCC', true), 404, 404, 'Resource not found')
    }
    const answer = await guesser.look(user_code)
    assertError(t, answer, 429, 429, 'Too many wrong codes, try again later', 'for correct codes as well')
    t.ok(Number(answer.headers['retry-after']) > 800)
    t.equal((await guesser.decide(user_code, true)).statusCode, 429)
    t.equal((await honest.decide(user_code, true)).statusCode, 200)
  })

  t.test('is not found by guessing: a hundred wrong codes an address, exactly', async t => {
    const { user_code } = await newCodes(app)
    const crowd = await Promise.all(Array.from({ length: 12 }, () => pageOf(app, '192.0.2.9')))
    const answers = await Promise.all(crowd.flatMap(page => Array.from({ length: 10 }, () => page.look('BBBB-BBBB'))))
    t.equal(answers.filter(({ statusCode }) => statusCode === 404).length, 100)
    t.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 20)
    t.equal((await (await pageOf(app, '192.0.2.9')).look(user_code)).statusCode, 429)
    t.equal((await (await pageOf(app, '192.0.2.10')).look(user_code)).statusCode, 200)
  })

  t.test('is not found by guessing: past the limit for all, one attempt a user', async t => {
    const { user_code } = await newCodes(app)
    const [guesser, honest] = [await pageOf(app), await pageOf(app)]
    t.equal((await guesser.look('BBBB-BBBB')).statusCode, 404)
    await attempts.updateOne({ _id: sharedBucket }, { $set: { count: 10_000 } })
    for (let i = 0; i < 3; i++) assertError(t, await guesser.look(user_code), 429, 429, 'Too many wrong codes, try again later')
    t.equal((await honest.look(user_code)).statusCode, 200)
    t.equal((await honest.decide(user_code, true)).statusCode, 200, 'wrong guesses do not hinder a user with the correct code')
  })
})

t.test('guesses are not limited where failed logins are not', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
  const page = await pageOf(app)
  for (let i = 0; i < 12; i++) t.equal((await page.look('BBBB-BBBB')).statusCode, 404)
  t.equal((await page.look((await newCodes(app)).user_code)).statusCode, 200)
})

t.test('without DEVICE_URL, there are no codes', async t => {
  const app = await build(t, { settings: { DEVICE_URL: '' } })
  const page = await pageOf(app)
  assertError(t, await request(app, {}), 404, 404, 'Resource not found')
  assertError(t, await ask(app, 'x'), 404, 404, 'Resource not found')
  assertError(t, await page.look('BBBB-BBBB'), 404, 404, 'Resource not found')
  assertError(t, await page.decide('BBBB-BBBB', true), 404, 404, 'Resource not found')
  t.notOk((await app.inject('/openapi.json')).json().paths['/login/device'])
})

t.test('the code is added to whatever address the page has', async t => {
  const app = await build(t, { settings: { DEVICE_URL: 'http://localhost:3000/app?lang=de#tv' } })
  const { verification_uri, verification_uri_complete, user_code } = (await request(app, {})).json().data
  t.equal(verification_uri, 'http://localhost:3000/app?lang=de#tv')
  t.equal(verification_uri_complete, `http://localhost:3000/app?lang=de&user_code=${user_code}#tv`)
})

t.test('a look at a code counts once, whatever becomes of the connection to the database', async t => {
  const proxy = await proxyTo(t, await appUrl(t))
  const app = await build(t, { url: proxy.url })
  const page = await pageOf(app)
  const counts = async () => {
    const all = await databaseOf(app)
      .collection('login_attempts')
      .find({ count: { $gt: 0 } }, { projection: { count: 1 } })
      .toArray()
    return all.map(({ count }) => count)
  }
  const counted = proxy.at('login_attempts', proxy.cutAnswer)
  t.equal((await page.look('BCDF-GHJK')).statusCode, 503)
  await counted
  t.strictSame(await counts(), [1])
})
