import { createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import t from 'tap'
import { forAnyone } from '../../plugins/authentication.js'
import { dataOf } from '../../src/database/data.js'
import { ok } from '../../src/http/reply.js'
import { EndedSessions } from '../../src/identity/revocations.js'
import { unauthenticated } from '../helpers/answers.js'
import { type App, addUser, beginSession, build, secret, signIn } from '../helpers/app.js'
import { appUrl, databaseOf } from '../helpers/database.js'
import { turnsDuring } from '../helpers/event-loop.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'

t.test('tokens', async t => {
  const base64 = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  const now = () => Math.floor(Date.now() / 1000)

  /** A token made by hand; a text for the header or the payload is taken as it is. */
  const forge = (payload: unknown, { header = { alg: 'HS256', typ: 'JWT' }, key = secret, hash = 'sha256' }: Forgery = {}) => {
    const text = `${base64(header)}.${base64(payload)}`
    return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
  }
  interface Forgery {
    header?: unknown
    key?: string
    hash?: string
  }

  const claims = (changes: Record<string, unknown> = {}) => ({
    sub: '1',
    sid: randomUUID(),
    iss: 'viewer',
    aud: 'viewer',
    iat: now(),
    exp: now() + 600,
    ...changes
  })
  const without = (name: string) => claims({ [name]: undefined })

  t.test('who calls', async t => {
    const app = await build(t)
    const user = await addUser(app)
    const logOut = (authorization?: string, address = '127.0.0.1') =>
      app.inject({ method: 'POST', url: '/logout', headers: authorization === undefined ? {} : { authorization }, remoteAddress: address })

    t.test('is told by a valid token', async t => {
      const later = now() + 3
      const good: Record<string, string> = {
        'one made by hand': forge(claims()),
        'for a user that it does not look up': forge(claims({ sub: '987654321' })),
        'with the largest id': forge(claims({ sub: String(Number.MAX_SAFE_INTEGER) })),
        'with a list of audiences that has ours': forge(claims({ aud: ['others', 'viewer'] })),
        'with a list of ours alone': forge(claims({ aud: ['viewer'] })),
        'with further claims': forge(claims({ name: 'Ada', roles: ['admin'], crit: ['exp'] })),
        'made by a clock 3 s ahead': forge(claims({ iat: later })),
        'that begins in 3 s': forge(claims({ nbf: later })),
        'that began': forge(claims({ nbf: now() - 60, iat: now() - 60 })),
        'about to end': forge(claims({ exp: now() + 5 })),
        'with fractions of seconds': forge(claims({ iat: now() - 0.5, exp: now() + 60.25 })),
        'without typ': forge(claims(), { header: { alg: 'HS256' } }),
        'with a kid': forge(claims(), { header: { alg: 'HS256', typ: 'JWT', kid: '7' } })
      }
      for (const [what, token] of Object.entries(good)) t.equal((await logOut(`Bearer ${token}`)).statusCode, 200, what)
    })

    t.test('with the scheme in any case', async t => {
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
        t.equal((await logOut(`${scheme} ${forge(claims())}`)).statusCode, 200, scheme)
    })

    t.test('with issuer and audience as they are set', async t => {
      const other = await build(t, { settings: { JWT_ISSUER: 'us', JWT_AUDIENCE: 'apps' } })
      const status = async (token: string) =>
        (await other.inject({ method: 'POST', url: '/logout', headers: { authorization: `Bearer ${token}` } })).statusCode
      t.equal(await status(forge(claims({ iss: 'us', aud: 'apps' }))), 200)
      t.equal(await status(forge(claims({ iss: 'us', aud: ['x', 'apps'] }))), 200)
      t.equal(await status(forge(claims())), 401)
      t.equal(await status(forge(claims({ iss: 'us' }))), 401)
      t.equal(await status(forge(claims({ aud: 'apps' }))), 401)
    })

    t.test('is nobody with anything else', async t => {
      const good = forge(claims())
      const [head = '', body = '', signature = ''] = good.split('.')
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
      const rs = `${base64({ alg: 'RS256', typ: 'JWT' })}.${base64(claims())}`
      const unsigned = (alg: string) => `${base64({ alg, typ: 'JWT' })}.${base64(claims())}.`

      const refused: Record<string, string | undefined> = {
        'no header': undefined,
        'an empty header': '',
        'a space': ' ',
        'the scheme alone': 'Bearer',
        'the scheme and a space': 'Bearer ',
        'the token alone': good,
        'two spaces': `Bearer  ${good}`,
        'a tab': `Bearer\t${good}`,
        'two words': 'Bearer a b',
        'two tokens': `Bearer ${good} ${good}`,
        'a list of tokens': `Bearer ${good}, Bearer ${good}`,
        'the scheme twice': `Bearer Bearer ${good}`,
        Basic: `Basic ${Buffer.from('ada:secret').toString('base64')}`,
        'Basic with a token': `Basic ${good}`,
        Token: `Token ${good}`,
        'a colon': `Bearer: ${good}`,
        'quotation marks': `Bearer "${good}"`,
        'a comma': `Bearer,${good}`,
        'a word': 'Bearer nonsense',
        dots: 'Bearer ...',
        'two parts': `Bearer ${head}.${body}`,
        'four parts': `Bearer ${good}.${signature}`,
        'five parts': `Bearer ${head}.${head}.${body}.${body}.${signature}`,
        'no signature': `Bearer ${head}.${body}.`,
        'a cut signature': `Bearer ${good.slice(0, -2)}`,
        'a longer signature': `Bearer ${good}AA`,
        'a changed signature': `Bearer ${head}.${body}.${[...signature].reverse().join('')}`,
        'a changed payload': `Bearer ${head}.${base64(claims({ sub: '2' }))}.${signature}`,
        'a changed header': `Bearer ${base64({ alg: 'HS256' })}.${body}.${signature}`,
        padding: `Bearer ${good}=`,
        'a huge value': `Bearer ${'x'.repeat(200_000)}`,
        'a huge signature': `Bearer ${good}${'A'.repeat(200_000)}`,
        'many dots': `Bearer ${'.'.repeat(100_000)}`,
        'many spaces': `Bearer${' '.repeat(100_000)}${good}`,
        'letters beyond ASCII': 'Bearer ä.ö.ü',

        'alg none': `Bearer ${unsigned('none')}`,
        'alg None': `Bearer ${unsigned('None')}`,
        'alg none with a signature': `Bearer ${forge(claims(), { header: { alg: 'none' } })}`,
        'alg hs256': `Bearer ${forge(claims(), { header: { alg: 'hs256' } })}`,
        'no alg': `Bearer ${forge(claims(), { header: { typ: 'JWT' } })}`,
        'alg null': `Bearer ${forge(claims(), { header: { alg: null } })}`,
        'alg a list': `Bearer ${forge(claims(), { header: { alg: ['HS256'] } })}`,
        HS384: `Bearer ${forge(claims(), { header: { alg: 'HS384' }, hash: 'sha384' })}`,
        HS512: `Bearer ${forge(claims(), { header: { alg: 'HS512' }, hash: 'sha512' })}`,
        'HS512 under the name of HS256': `Bearer ${forge(claims(), { hash: 'sha512' })}`,
        'HS256 under the name of RS256': `Bearer ${forge(claims(), { header: { alg: 'RS256' } })}`,
        RS256: `Bearer ${rs}.${createSign('RSA-SHA256').update(rs).sign(privateKey).toString('base64url')}`,
        'a public key for a secret': `Bearer ${forge(claims(), { key: pem })}`,
        'another secret': `Bearer ${forge(claims(), { key: 'another secret that is long enough too' })}`,
        'an empty secret': `Bearer ${forge(claims(), { key: '' })}`,
        'a key of its own': `Bearer ${forge(claims(), { key: 'mine', header: { alg: 'HS256', jwk: { kty: 'oct', k: base64('mine') } } })}`,
        crit: `Bearer ${forge(claims(), { header: { alg: 'HS256', crit: ['exp'] } })}`,
        'an empty crit': `Bearer ${forge(claims(), { header: { alg: 'HS256', crit: [] } })}`,
        'crit null': `Bearer ${forge(claims(), { header: { alg: 'HS256', crit: null } })}`,
        'crit of b64': `Bearer ${forge(claims(), { header: { alg: 'HS256', b64: false, crit: ['b64'] } })}`,
        'a header that is no JSON': `Bearer ${forge(claims(), { header: 'nonsense' })}`,
        'a header that is null': `Bearer ${forge(claims(), { header: 'null' })}`,
        'a header that is a list': `Bearer ${forge(claims(), { header: '["HS256"]' })}`,

        'a payload that is a list': `Bearer ${forge([claims()])}`,
        'a payload that is null': `Bearer ${forge('null')}`,
        'a payload that is a text': `Bearer ${forge('"nonsense"')}`,
        'a payload that is a number': `Bearer ${forge('5')}`,
        'a payload that is true': `Bearer ${forge('true')}`,
        'a payload that is no JSON': `Bearer ${forge('nonsense')}`,
        'an empty payload': `Bearer ${forge('')}`,
        'an empty object': `Bearer ${forge({})}`,
        'claims in __proto__': `Bearer ${forge(`{"__proto__":${JSON.stringify(claims())}}`)}`,

        expired: `Bearer ${forge(claims({ iat: now() - 3600, exp: now() - 1 }))}`,
        'expired by 4 s, within the tolerance of the clocks': `Bearer ${forge(claims({ iat: now() - 3600, exp: now() - 4 }))}`,
        'expired just now': `Bearer ${forge(claims({ iat: now() - 3600, exp: now() }))}`,
        'expired long ago': `Bearer ${forge(claims({ iat: 0, exp: 1 }))}`,
        'exp 0': `Bearer ${forge(claims({ exp: 0 }))}`,
        'exp below 0': `Bearer ${forge(claims({ exp: -1 }))}`,
        'nbf in a minute': `Bearer ${forge(claims({ nbf: now() + 60 }))}`,
        'nbf in 10 s': `Bearer ${forge(claims({ nbf: now() + 10 }))}`,
        'iat in a minute': `Bearer ${forge(claims({ iat: now() + 60 }))}`,
        'iat in a minute, nbf past': `Bearer ${forge(claims({ iat: now() + 60, nbf: now() - 60 }))}`,
        'a list of audiences without ours': `Bearer ${forge(claims({ aud: ['others', 'viewers', 'Viewer'] }))}`,
        'no audience in the list': `Bearer ${forge(claims({ aud: [] }))}`,
        'ours in a list in the list': `Bearer ${forge(claims({ aud: [['viewer']] }))}`,
        'a list with ours and a number': `Bearer ${forge(claims({ aud: ['viewer', 5] }))}`,
        'another issuer': `Bearer ${forge(claims({ iss: 'viewer2' }))}`,
        'another audience': `Bearer ${forge(claims({ aud: 'viewers' }))}`
      }

      const times = ['9999999999', null, true, [], {}, '', 'soon']
      const wrong: Record<string, unknown[]> = {
        sub: [
          '0',
          '-1',
          '1.5',
          '01',
          'abc',
          '9007199254740992',
          '9'.repeat(400),
          '',
          ' 1',
          '1 ',
          '1\n',
          '+1',
          '1e3',
          '0x1',
          '١',
          'NaN',
          1,
          0,
          null,
          true,
          ['1'],
          {}
        ],
        sid: [1, null, true, ['x'], {}],
        iss: [1, null, true, ['viewer'], {}, '', 'Viewer'],
        aud: [1, null, true, {}, '', 'Viewer', { 0: 'viewer', length: 1 }],
        iat: times,
        exp: times,
        nbf: times
      }
      for (const [name, values] of Object.entries(wrong)) {
        if (name !== 'nbf') refused[`no ${name}`] = `Bearer ${forge(without(name))}`
        for (const value of values) refused[`${name} ${JSON.stringify(value).slice(0, 40)}`] = `Bearer ${forge(claims({ [name]: value }))}`
      }
      // JSON can write numbers that JavaScript cannot hold.
      for (const name of ['iat', 'exp', 'nbf'])
        refused[`${name} 1e999`] = `Bearer ${forge(JSON.stringify(claims({ [name]: 'X' })).replace('"X"', '1e999'))}`

      const { headers } = await logOut()
      for (const [what, authorization] of Object.entries(refused)) {
        const response = await logOut(authorization)
        t.strictSame([response.statusCode, response.body], [401, unauthenticated], what)
        t.equal(response.headers['content-type'], headers['content-type'])
      }
    })

    t.test('a token in the address or in the body is ignored', async t => {
      const token = forge(claims())
      const tokens = `token=${token}&access_token=${token}&authorization=Bearer%20${token}`
      const payload = { access_token: token, token, authorization: `Bearer ${token}` }
      t.equal((await app.inject({ method: 'POST', url: `/logout?${tokens}`, payload })).statusCode, 401)
      t.equal(
        (await app.inject({ method: 'POST', url: '/logout', headers: { cookie: `token=${token}; access_token=${token}` } })).statusCode,
        401
      )
    })

    t.test('an invalid one does not hinder requests that need none', async t => {
      for (const authorization of ['Bearer nonsense', 'Basic x', 'Bearer  a b', `Bearer ${forge(claims({ exp: 1 }))}`]) {
        t.equal((await app.inject({ url: '/health', headers: { authorization } })).statusCode, 200)
        t.equal((await app.inject({ url: '/nothing', headers: { authorization } })).statusCode, 404)
        t.equal((await app.inject({ url: '/logout', headers: { authorization } })).statusCode, 405)
      }
    })

    t.test('the signer of the app makes valid ones', async t => {
      const { authorization } = await signIn(app, user)
      t.equal((await logOut(authorization)).statusCode, 200)
    })

    t.test('an access token ends with ACCESS_TOKEN_TTL', async t => {
      const short = await build(t, { settings: { ACCESS_TOKEN_TTL: '1' } })
      const { authorization } = await signIn(short)
      const status = async () => (await short.inject({ method: 'POST', url: '/logout', headers: { authorization } })).statusCode
      const until = Date.now() + 5000
      while ((await status()) === 200 && Date.now() < until) await new Promise(resolve => setTimeout(resolve, 50))
      t.equal(await status(), 401)
    })
  })

  t.test('a poor secret is named in the log', async t => {
    const log: string[] = []
    await build(t, { settings: { JWT_SECRET: 'x'.repeat(32) }, log })
    t.ok(log.some(line => line.includes('JWT_SECRET has only a few different characters and is easy to guess')))
    t.notOk(log.some(line => line.includes('xxxx')))
  })

  t.test('guards', async t => {
    const app = await build(t, {
      extend: app => {
        app.get('/unguarded', { config: { admission: 'public' } }, async request => ok(app.viewerOf(request).id))
        app.get('/optional', forAnyone, async request => ok(request.viewer ? 'a viewer' : 'anybody'))
      }
    })
    const headers = await signIn(app)
    const forged = { authorization: 'Bearer a.b.c' }
    const ask = async (url: string, headers: Record<string, string> = {}) => {
      const response = await app.inject({ url, headers })
      return [response.statusCode, response.json().data ?? response.json().message]
    }

    t.test('a route that asks for its viewer without a guard serves only viewers', async t => {
      t.strictSame(await ask('/unguarded', headers), [200, 1])
      t.strictSame(await ask('/unguarded'), [401, 'Unauthenticated.'])
      t.strictSame(await ask('/unguarded', forged), [401, 'Unauthenticated.'])
    })
    t.test('a route with an optional token serves callers without one, but not with a wrong one', async t => {
      t.strictSame(await ask('/optional'), [200, 'anybody'])
      t.strictSame(await ask('/optional', headers), [200, 'a viewer'])
      t.strictSame(await ask('/optional', forged), [401, 'Unauthenticated.'])
    })
  })
})

t.test('refused tokens', async t => {
  const begin = async (app: App, user: Awaited<ReturnType<typeof addUser>>) => {
    const session = await beginSession(app.data, user)
    return { ...session, headers: { authorization: `Bearer ${app.signedIn(user, session).access_token}` } }
  }
  const isRefused = async (app: App, { headers }: { headers: Record<string, string> }) =>
    (await app.inject({ url: '/history', headers })).statusCode === 401

  t.test('a session that ends in one process is refused by another within 2 s', async t => {
    const url = await appUrl(t)
    const [here, there] = [await build(t, { url }), await build(t, { url })]
    const user = await addUser(here)
    const { sessions, users } = here.data
    const ends: Record<string, (session: Awaited<ReturnType<typeof begin>>) => Promise<unknown>> = {
      'a logout': ({ headers }) => here.inject({ method: 'POST', url: '/logout', headers }),
      'DELETE /sessions/{sessionId}': ({ sid, headers }) => here.inject({ method: 'DELETE', url: `/sessions/${sid}`, headers }),
      'DELETE /sessions': ({ headers }) => here.inject({ method: 'DELETE', url: '/sessions', headers }),
      'a command': async ({ account_id }) => dataOf(databaseOf(here), here.settings).sessions.endAll(account_id)
    }
    for (const [what, end] of Object.entries(ends)) {
      const session = await begin(here, user)
      t.equal(await isRefused(there, session), false)
      await end(session)
      const took = await until(() => isRefused(there, session))
      t.ok(took < 2000, `${what}: ${took} ms`)
      await until(() => isRefused(here, session))
    }

    const survivor = await begin(here, user)
    const ended = await begin(here, user)
    await sessions.end(user._id, ended.sid)
    const restarted = await build(t, { url })
    t.equal(await isRefused(restarted, ended), true, 'a restarted process refuses it from the first request')
    t.equal(await isRefused(restarted, survivor), false)

    await users.disable(user._id)
    for (const app of [here, there]) t.ok((await until(() => isRefused(app, survivor))) < 2000, 'a disabled user')
  })

  const away: Record<string, (proxy: Awaited<ReturnType<typeof proxyTo>>) => void> = {
    'ends its connections': proxy => proxy.leave(),
    'is silent': proxy => proxy.silence()
  }
  for (const [what, leave] of Object.entries(away)) {
    t.test(`while the database ${what}`, async t => {
      const url = await appUrl(t)
      const proxy = await proxyTo(t, url)
      const log: string[] = []
      const [here, there] = [await build(t, { url }), await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '2000' }, log })]
      const user = await addUser(here)
      const [known, unknown, living] = [await begin(here, user), await begin(here, user), await begin(here, user)]
      await here.data.sessions.end(user._id, known.sid)
      await until(() => isRefused(there, known))

      leave(proxy)
      await here.data.sessions.end(user._id, unknown.sid)
      await until(() => log.some(line => line.includes('the ended sessions could not be read')))
      t.equal(await isRefused(there, known), true, 'a token that was known to be refused stays refused')
      proxy.comeBack()
      const took = await until(() => isRefused(there, unknown))
      t.ok(took < 3000, `refused ${took} ms after the database came back`)
      await until(async () => (await there.inject({ url: '/history', headers: living.headers })).statusCode === 200)
    })
  }

  t.test('each read asks for what has ended since the last one, and for more after a failure', async t => {
    const app = await build(t)
    const asked: (number | undefined)[] = []
    let fails = false
    const ended = (since?: number) => {
      asked.push(since)
      if (fails) throw new Error('away')
      return app.data.sessions.ended(since)
    }
    const followed = new EndedSessions()
    const read = () => followed.refresh({ ended })
    await read()
    await read()
    fails = true
    await t.rejects(read())
    fails = false
    await read()
    await read()
    const [first, second, third, fourth, fifth] = asked
    t.equal(first, undefined, 'the first read has no start')
    for (const since of [second, third, fifth]) t.ok(Number(since) >= 5000 && Number(since) < 10_000, `${since}`)
    t.ok(Number(fourth) >= 60_000 && Number(fourth) < 65_000, `${fourth}`)
  })

  t.test('an ended session is remembered as long as its access tokens may live', async t => {
    const url = await appUrl(t)
    const app = await build(t, { url, settings: { ACCESS_TOKEN_TTL: '1500' } })
    const user = await addUser(app)
    const sessions = databaseOf(app).collection<{ _id: string; [field: string]: unknown }>('sessions')
    const remaining = async (sid: string) => Number((await sessions.findOne({ _id: sid }))?.expires_at) - Date.now()
    const isAbout = (milliseconds: number, seconds: number) => Math.abs(milliseconds - seconds * 1000) < 10_000

    const session = await begin(app, user)
    // A command does not know the setting of the service.
    const command = dataOf(databaseOf(app), { ...app.settings, ACCESS_TOKEN_TTL: 9999 }).sessions
    await command.endAll(user._id)
    t.ok(isAbout(await remaining(session.sid), 1560), 'the lifetime of the token, and a minute for differing clocks')
    t.strictSame(Object.keys((await sessions.findOne({ _id: session.sid })) ?? {}).sort(), ['_id', 'account_id', 'ended_at', 'expires_at'])

    const before = await sessions.findOne({ _id: session.sid })
    await command.end(user._id, session.sid)
    t.strictSame(await sessions.findOne({ _id: session.sid }), before, 'a second end changes nothing')

    const unknown = crypto.randomUUID()
    await app.data.sessions.end(user._id, unknown)
    t.ok(isAbout(await remaining(unknown), 1560), 'also if the document of the session is gone')

    const restarted = await build(t, { url })
    t.equal(restarted.endedSessions.size, 2)
    await sessions.updateMany({}, { $set: { expires_at: new Date(Date.now() + 500) } })
    const later = new EndedSessions()
    await later.refresh(app.data.sessions)
    t.equal(later.size, 2)
    await sessions.deleteMany({})
    await until(async () => {
      await later.refresh(app.data.sessions)
      return later.size === 0
    })
  })

  t.test('many ended sessions are read in short turns', async t => {
    const app = await build(t)
    const expires_at = new Date(Date.now() + 60_000)
    await databaseOf(app)
      .collection('sessions')
      .insertMany(
        Array.from({ length: 20_000 }, () => ({ _id: crypto.randomUUID() as never, account_id: 1, ended_at: new Date(), expires_at }))
      )
    const ended = new EndedSessions()
    const { turns } = await turnsDuring(() => ended.refresh(app.data.sessions))
    t.equal(ended.size, 20_000)
    t.ok(turns >= 40, `${turns} turns of at most 500 sessions`)
  })
})
