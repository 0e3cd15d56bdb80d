import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { exportJWK, exportSPKI, type GenerateKeyPairResult, generateKeyPair, SignJWT } from 'jose'
import t, { type Test } from 'tap'
import { unauthenticated } from '../src/errors.js'
import { ExpiringIds } from '../src/identity/expiring-ids.js'
import { profileAgeLimitsOf } from '../src/identity/profiles.js'
import { keysFromUrl } from '../src/identity/provider-keys.js'
import { providerTokens } from '../src/identity/provider-tokens.js'
import { Revocations } from '../src/identity/revocations.js'
import { beginErasure, removeUser } from '../src/privacy/erase.js'
import { minutes } from '../src/time.js'
import { addUser, build, password, providerUser, secret, settingsFor } from './helpers/app.js'
import { appUrl, databaseOf, seededUrl } from './helpers/database.js'
import { profileOf } from './helpers/devices.js'
import { film } from './helpers/documents.js'
import { proxyTo } from './helpers/proxy.js'
import { until } from './helpers/until.js'

const issuer = 'https://id.example.com/'
const audience = 'tv'
const seconds = () => Math.floor(Date.now() / 1000)

interface Key extends GenerateKeyPairResult {
  kid: string
  alg: string
}
const keyFor = async (alg: string, kid: string): Promise<Key> => ({ ...(await generateKeyPair(alg, { extractable: true })), kid, alg })

const claims = () => ({ iss: issuer, aud: audience as string | string[], sub: 'auth0|ada', iat: seconds(), exp: seconds() + 300 })
const tokenBy = ({ privateKey, alg, kid }: Key, given: object = {}, header: object = {}) =>
  new SignJWT({ ...claims(), ...given }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** An identity provider that publishes its keys, some of which may be broken, and can be slow, silent or away. */
const providerOf = async (t: Test, keys: Key[], broken: unknown[] = []) => {
  let published = keys
  let state: 'there' | 'slow' | 'away' | 'silent' = 'there'
  let asked = 0
  const server = createServer(async (_request, response) => {
    asked++
    if (state === 'silent') return
    if (state === 'away') return response.writeHead(503).end()
    if (state === 'slow') await sleep(1800)
    const jwks = await Promise.all(
      published.map(async ({ publicKey, kid, alg }) => ({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }))
    )
    response.end(JSON.stringify({ keys: [...broken, ...jwks] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/keys`,
    publish: (keys: Key[]) => {
      published = keys
    },
    become: (other: typeof state) => {
      state = other
    },
    get asked() {
      return asked
    }
  }
}

const settingsOf = (more: Record<string, string>) => ({ JWT_SECRET: '', JWT_ISSUER: issuer, JWT_AUDIENCE: audience, ...more })

const rsa = await keyFor('RS256', 'rsa-1')
const ec = await keyFor('ES256', 'ec-1')
const ed = await keyFor('EdDSA', 'ed-1')

t.test('tokens of a provider that publishes its keys', async t => {
  const provider = await providerOf(t, [rsa, ec, ed])
  const url = await seededUrl(t, { contents: [film(1)] })
  const app = await build(t, { url, settings: settingsOf({ JWT_JWKS_URL: provider.url }) })
  const status = async (token: string) => (await app.inject({ url: '/history', headers: bearer(token) })).statusCode

  t.test('each algorithm, and the same user whoever signs', async t => {
    for (const key of [rsa, ec, ed]) {
      const headers = bearer(await tokenBy(key))
      t.equal(
        (await app.inject({ method: 'POST', url: '/history', headers, payload: { content_id: 1, time: 5 } })).statusCode,
        201,
        key.alg
      )
      const { collection } = (await app.inject({ url: '/history', headers })).json().data
      t.match(collection, [{ user_id: 1, content_id: 1 }])
    }
    t.equal(provider.asked, 1, 'the keys are requested once')
  })

  t.test('a sub is never read as an id of ours, and another issuer’s is another user', async t => {
    await app.data.users.add({ email: 'someone@example.com', name: 'Someone', password_hash: 'x' })
    t.equal(await status(await tokenBy(rsa, { sub: '2' })), 200)
    t.not(await providerUser(app, issuer, '2'), 2)
    t.not(await providerUser(app, 'https://other.example.com/', '2'), await providerUser(app, issuer, '2'))
  })

  t.test('two first uses at once make one user', async t => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => tokenBy(rsa, { sub: 'auth0|new', n })))
    t.strictSame(
      await Promise.all(tokens.map(status)),
      tokens.map(() => 200)
    )
    t.equal(await app.mongoClient.db(new URL(url).pathname.slice(1)).collection('users').countDocuments({ sub: 'auth0|new' }), 1)
  })

  t.test('what is accepted', async t => {
    for (const [what, given] of [
      ['an aud that is a list with ours in it', { aud: ['web', audience] }],
      ['clocks that differ by a few seconds', { iat: seconds() + 3, nbf: seconds() + 3 }],
      ['no sid', { sid: undefined }]
    ] as const)
      t.equal(await status(await tokenBy(rsa, given)), 200, what)
  })

  t.test('what is refused', async t => {
    const foreign = await keyFor('RS256', 'rsa-1')
    const unknown = await keyFor('RS256', 'nobody')
    const hs = async (key: Uint8Array) => new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: rsa.kid }).sign(key)
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const refused: [what: string, token: string][] = [
      ['another key under a known name', await tokenBy(foreign)],
      ['a key that nobody published', await tokenBy(unknown)],
      ['a key that the token brings itself', await tokenBy(unknown, {}, { jwk: await exportJWK(unknown.publicKey) })],
      ['an address of keys that the token brings', await tokenBy(unknown, {}, { jku: provider.url })],
      ['HS256 with the public key', await hs(new TextEncoder().encode(await exportSPKI(rsa.publicKey)))],
      ['HS256 with a secret', await hs(new TextEncoder().encode(secret))],
      ['no signature', `${encoded({ alg: 'none' })}.${encoded(claims())}.`],
      ['alg none with a signature', `${encoded({ alg: 'none' })}.${encoded(claims())}.AAAA`],
      ['a body that is no JSON', `${encoded({ alg: 'RS256', kid: 'rsa-1' })}.AAAA.AAAA`],
      [
        'a crit',
        await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: 'rsa-1', crit: ['b64'], b64: true }).sign(rsa.privateKey)
      ]
    ]
    for (const [what, given] of [
      ['expired', { exp: seconds() - 1 }],
      ['from the future', { iat: seconds() + 60 }],
      ['not yet in force', { nbf: seconds() + 60 }],
      ['another issuer', { iss: 'https://evil.example.com/' }],
      ['another audience', { aud: 'web' }],
      ['audiences without ours', { aud: ['web', 'radio'] }],
      ...['iss', 'aud', 'sub', 'iat', 'exp'].map(name => [`no ${name}`, { [name]: undefined }] as const),
      ['a number for sub', { sub: 5 }],
      ['an empty sub', { sub: '' }],
      ['a sub with half a character, which no database keeps', { sub: 'ada\ud800' }],
      ['a text for exp', { exp: String(seconds() + 300) }]
    ] as [string, object][])
      refused.push([what, await tokenBy(rsa, given)])

    for (const [what, token] of refused) {
      const answer = await app.inject({ url: '/history', headers: bearer(token) })
      t.strictSame([answer.statusCode, answer.json()], [401, { success: false, message: 'Unauthenticated.' }], what)
      t.equal((await app.inject({ url: '/recommendations', headers: bearer(token) })).statusCode, 401, `${what}, where a token is optional`)
      t.equal((await app.inject({ url: '/contents', headers: bearer(token) })).statusCode, 200, `${what}, where the token is ignored`)
    }
  })

  t.test('a token is valid no longer than it says, though it was checked before', async t => {
    const token = await tokenBy(rsa, { exp: seconds() + 2 })
    t.equal(await status(token), 200)
    await until(async () => (await status(token)) === 401)
  })

  t.test('login, refresh, logout, sessions and passwords are not there', async t => {
    for (const path of [
      '/login',
      '/login/refresh',
      '/logout',
      '/sessions',
      '/sessions/x',
      '/me/password',
      '/login/device',
      '/login/device/token',
      '/login/device/x'
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
        const answer = await app.inject({ method, url: path, headers: bearer(await tokenBy(rsa)), payload: {} })
        t.strictSame(
          [answer.statusCode, answer.json()],
          [404, { success: false, code: 404, message: 'Resource not found' }],
          `${method} ${path}`
        )
      }
    }
  })

  t.test('users may ask who they are', async t => {
    const headers = bearer(await tokenBy(rsa))
    t.strictSame((await app.inject({ url: '/me', headers })).json(), { success: true, data: { id: 1, email: '', name: '' } })
  })

  t.test('keys change, and known ones serve while the provider is away', async t => {
    const next = await keyFor('ES256', 'ec-2')
    provider.publish([ec, next])
    // As soon as the keys may be asked for again.
    await until(async () => (await status(await tokenBy(next))) === 200)
    t.equal(await status(await tokenBy(rsa, { jti: 'new' })), 401, 'a withdrawn key is refused once the keys are read again')
    provider.become('away')
    t.equal(await status(await tokenBy(next, { jti: 'away' })), 200)
    const { asked } = provider
    const unknown = await keyFor('ES256', 'ec-3')
    await until(async () => {
      t.equal(await status(await tokenBy(unknown)), 401)
      return provider.asked > asked
    })
    t.equal(await status(await tokenBy(ec, { jti: 'away' })), 200)
  })
})

t.test('invalid keys are skipped', async t => {
  const exported = await exportJWK(rsa.publicKey)
  const broken = [
    null,
    'a text',
    7,
    [],
    {},
    { kty: null, kid: rsa.kid },
    { kty: 'RSA', kid: rsa.kid, alg: 'RS256', use: 'sig' },
    { kty: 'RSA', kid: rsa.kid, n: 5, e: {} },
    { ...exported, kid: ec.kid, kty: 'EC', crv: 'P-256' },
    { kty: 'AKP', kid: rsa.kid, alg: 'ML-DSA-44', pub: 'AAAA' },
    { kty: 'oct', kid: rsa.kid, k: 'AAAA' },
    { ...(await exportJWK(rsa.privateKey)), kid: rsa.kid, alg: 'RS256' }
  ]
  const provider = await providerOf(t, [rsa, ec, ed], broken)
  const app = await build(t, { settings: settingsOf({ JWT_JWKS_URL: provider.url }) })
  for (const key of [rsa, ec, ed])
    t.equal((await app.inject({ url: '/history', headers: bearer(await tokenBy(key)) })).statusCode, 200, key.alg)
})

t.test('a document without a list of keys counts as no answer', async t => {
  for (const body of ['null', '{}', '{"keys":{}}', '[]', 'nonsense']) {
    const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    const { port } = server.address() as { port: number }
    const app = await build(t, { settings: settingsOf({ JWT_JWKS_URL: `http://127.0.0.1:${port}/keys` }) })
    t.equal((await app.inject({ url: '/history', headers: bearer(await tokenBy(rsa)) })).statusCode, 503, body)
  }
})

t.test('a disabled user of a provider', async t => {
  const provider = await providerOf(t, [ed])
  const url = await seededUrl(t, { contents: [film(1)] })
  const settings = settingsOf({ JWT_JWKS_URL: provider.url })
  const [one, two] = [await build(t, { url, settings }), await build(t, { url, settings })]
  const status = async (app: typeof one, headers: Record<string, string>, path = '/history') =>
    (await app.inject({ url: path, headers })).statusCode
  const becomes = async (expected: number, headers: Record<string, string>) => {
    for (const app of [one, two])
      t.ok((await until(async () => (await status(app, headers)) === expected)) < 2000, `${expected} within 2 s`)
  }

  const [ada, bo] = [bearer(await tokenBy(ed, { sub: 'ada' })), bearer(await tokenBy(ed, { sub: 'bo' }))]
  for (const app of [one, two]) for (const headers of [ada, bo]) t.equal(await status(app, headers), 200)
  const id = await providerUser(one, issuer, 'ada')
  t.match(await two.data.users.disable(id), { _id: id, sub: 'ada' })
  await becomes(401, ada)
  const renewed = bearer(await tokenBy(ed, { sub: 'ada', jti: 'from the provider since' }))
  for (const app of [one, two]) {
    t.equal(await status(app, renewed), 401, 'a newer token is refused as well')
    t.equal(await status(app, ada, '/recommendations'), 401, 'also where a token is optional')
    t.equal(await status(app, ada, '/contents'), 200, 'but not where the token is ignored')
    t.equal(await status(app, bo), 200, 'other users are not affected')
  }
  const later = await build(t, { url, settings })
  t.equal(await status(later, ada), 401, 'a process that starts later refuses it as well')

  await one.data.users.enable(id)
  await becomes(200, ada)
})

t.test('a disabled user is found even if nobody announced it', async t => {
  const url = await appUrl(t)
  const app = await build(t, { url })
  const { _id } = await addUser(app)
  const users = new Revocations(app.data)
  await users.refresh()
  t.notOk(users.isRefused(_id))
  await databaseOf(app)
    .collection<{ _id: number }>('users')
    .updateOne({ _id }, { $set: { disabled_at: new Date() } })
  await users.refresh()
  t.notOk(users.isRefused(_id), 'not removed at every check')
  const now = performance.now()
  t.teardown(() => mock.restoreAll())
  mock.method(performance, 'now', () => now + minutes(11))
  await users.refresh()
  t.ok(users.isRefused(_id))
})

t.test('a provider that was never reached', async t => {
  const provider = await providerOf(t, [rsa])
  provider.become('silent')
  const log: string[] = []
  const app = await build(t, { settings: settingsOf({ JWT_JWKS_URL: provider.url }), log })
  const headers = bearer(await tokenBy(rsa))
  const began = Date.now()
  const answer = await app.inject({ url: '/history', headers })
  t.strictSame([answer.statusCode, answer.headers['retry-after'] !== undefined], [503, true])
  t.ok(Date.now() - began < 3000)
  t.ok(log.some(line => line.includes('keys of the identity provider')))
  t.equal((await app.inject({ url: '/health', headers })).statusCode, 200)
  provider.become('there')
  t.equal((await app.inject({ url: '/history', headers })).statusCode, 200, 'the user is back')
})

t.test('a withdrawn key stops working, though its tokens were checked before', async t => {
  const provider = await providerOf(t, [rsa, ec])
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const keys = keysFromUrl(provider.url, fault => t.fail(String(fault)))
  t.teardown(keys.close)
  const check = providerTokens({ iss: issuer, aud: audience, keys, userOf: async () => ({ _id: 7 }), isErased: () => false })
  const exp = Math.floor(Date.now() / 1000) + 200
  const [withdrawn, kept] = await Promise.all([tokenBy(rsa, { exp }), tokenBy(ec, { exp })])
  const viewer = { id: 7, account: 7, expiresAt: exp }
  for (const token of [withdrawn, kept]) t.strictSame(await check(token), viewer)

  provider.publish([ec])
  t.strictSame(await check(withdrawn), viewer, 'the keys are not read for every request')
  mock.timers.tick(minutes(10))
  await until(async () => keys.edition > 0)
  t.equal(await check(withdrawn), null)
  t.strictSame(await check(kept), viewer)
})

t.test('a slow provider before a database that is silent', async t => {
  const provider = await providerOf(t, [rsa])
  const proxy = await proxyTo(t, await appUrl(t))
  const app = await build(t, { url: proxy.url, settings: settingsOf({ JWT_JWKS_URL: provider.url, DATABASE_TIMEOUT: '2000' }) })
  provider.become('slow')
  proxy.freeze()
  t.teardown(proxy.comeBack)
  const headers = bearer(await tokenBy(rsa))
  const timed = async (url: string) => {
    const began = performance.now()
    const { statusCode } = await app.inject({ url, headers })
    return { statusCode, took: performance.now() - began }
  }
  const [history, ready, health] = await Promise.all(['/history', '/ready', '/health'].map(timed))
  t.match([history?.statusCode, ready?.statusCode, health?.statusCode], [503, 503, 200])
  t.ok(Math.max(history?.took ?? 0, ready?.took ?? 0) < 3000, `nobody waits longer than 3 s: ${history?.took} ${ready?.took}`)
  t.ok((health?.took ?? 0) < 500, 'endpoints without a token do not wait')
})

t.test('one public key', async t => {
  const url = await appUrl(t)
  for (const key of [rsa, ec, ed]) {
    const pem = await exportSPKI(key.publicKey)
    for (const text of [pem, pem.replaceAll('\n', '\\n')]) {
      const app = await build(t, { url, settings: settingsOf({ JWT_PUBLIC_KEY: text }) })
      const status = async (token: string) => (await app.inject({ url: '/history', headers: bearer(token) })).statusCode
      t.equal(await status(await tokenBy(key)), 200, key.alg)
      t.equal(await status(await tokenBy(await keyFor(key.alg, key.kid))), 401, 'a token signed with another key')
      for (const other of [rsa, ec, ed]) if (other !== key) t.equal(await status(await tokenBy(other)), 401, `${other.alg} for ${key.alg}`)
    }
  }
})

t.test('settings', async t => {
  const url = 'mongodb://127.0.0.1:1/provider'
  const small = await generateKeyPair('ES384', { extractable: true })
  const weak = await import('node:crypto').then(({ generateKeyPairSync }) =>
    generateKeyPairSync('rsa', {
      modulusLength: 1024,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' }
    })
  )
  const { privateKey } = await import('node:crypto').then(({ generateKeyPairSync }) =>
    generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' }
    })
  )
  for (const [given, sentence] of [
    [{ JWT_SECRET: '', JWT_JWKS_URL: 'id.example.com' }, /^JWT_JWKS_URL is wrong/],
    [{ JWT_SECRET: '', JWT_PUBLIC_KEY: 'nonsense' }, /^JWT_PUBLIC_KEY is wrong/],
    [{ JWT_SECRET: '', JWT_PUBLIC_KEY: privateKey }, /^JWT_PUBLIC_KEY is wrong: it is a private key/],
    [{ JWT_SECRET: '', JWT_PUBLIC_KEY: await exportSPKI(small.publicKey) }, /^JWT_PUBLIC_KEY is wrong: it must be/],
    [{ JWT_SECRET: '', JWT_PUBLIC_KEY: weak.publicKey }, /^JWT_PUBLIC_KEY is wrong: it must be an RSA key of 2048/],
    [{ JWT_JWKS_URL: 'https://id.example.com/keys' }, /^JWT_SECRET and JWT_JWKS_URL are set/],
    [{ JWT_SECRET: '' }, /^JWT_SECRET is not set/]
  ] as [Record<string, string>, RegExp][])
    t.throws(() => settingsFor(url, given), { message: sentence })
})

t.test('an erased user who comes back is a new user, but not with an older token', async t => {
  const url = await seededUrl(t, { contents: [film(1)] })
  const settings = settingsOf({ JWT_PUBLIC_KEY: await exportSPKI(ed.publicKey) })
  const [one, two] = [await build(t, { url, settings }), await build(t, { url, settings })]
  const ask = (app: typeof one, token: string) => app.inject({ url: '/history', headers: bearer(token) })
  const status = async (app: typeof one, token: string) => (await ask(app, token)).statusCode

  const old = await tokenBy(ed, { sub: 'ada', iat: seconds() - 20 })
  const unused = await tokenBy(ed, { sub: 'ada', iat: seconds() - 10 })
  const another = await tokenBy(ed, { sub: 'ada', iat: seconds() - 15 })
  for (const app of [one, two]) t.equal(await status(app, old), 200)
  const before = await providerUser(one, issuer, 'ada')
  await beginErasure(one.data, before)
  await removeUser(one.data, before)
  for (const app of [one, two]) t.ok((await until(async () => (await status(app, old)) === 401)) < 2000)

  const later = await build(t, { url, settings })
  const all = [one, two, later]
  const stayRefused = async (what: string) => {
    for (const app of all) t.strictSame([await status(app, old), await status(app, unused), await status(app, old)], [401, 401, 401], what)
  }
  await stayRefused('before the user is back')
  t.equal(await databaseOf(one).collection('users').countDocuments(), 0, 'an old token creates no user')

  // Tokens have whole seconds, so one from the second of the erasure counts as older.
  const renewed = await tokenBy(ed, { sub: 'ada', iat: seconds() + 1 })
  for (const app of all) t.equal(await status(app, renewed), 200)
  const after = await providerUser(one, issuer, 'ada')
  t.ok(after > before)
  const report = { method: 'POST', url: '/history', headers: bearer(renewed), payload: { content_id: 1, time: 1 } } as const
  t.equal((await two.inject(report)).statusCode, 201)
  t.match((await ask(one, renewed)).json().data.collection, [{ user_id: after }])
  await stayRefused('when the user is back')
  for (const app of all) t.equal(await status(app, another), 401, 'a token that was never seen')
  const notes = await databaseOf(one).collection('erasures').find().toArray()
  t.notMatch(JSON.stringify(notes), /ada|example/)
})

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

t.test('a profile that could not be removed has no limit again', async t => {
  const app = await build(t)
  const { profiles, users } = app.data
  const account = await addUser(app)
  const limits = profileAgeLimitsOf(app.data)
  const [tom, gone] = [await profileOf(app, account), await profileOf(app, account)]
  const fault = new Error('the database went away')
  const failing = async () => {
    throw fault
  }
  await t.rejects(limits.whileRemoving(account._id, tom, failing), fault)
  t.equal((await profiles.byId(account._id, tom._id)).max_age, null)

  const removing = async () => {
    await users.remove(gone._id)
    return failing()
  }
  await t.rejects(limits.whileRemoving(account._id, gone, removing), fault, 'also if there is nothing to restore')
})

/** Ids in the same table that are equal in one of their halves. */
const crowded = [0, 1].flatMap(varied =>
  Array.from({ length: 12 }, (_, n) => {
    const [first, last] = [1, 2].map((half, at) => (at === varied ? half + 256 * n : half).toString(16).padStart(12, '0')) as [
      string,
      string
    ]
    return `${first.slice(0, 8)}-${first.slice(8)}-4000-8000-${last}`
  })
)

t.test('a set of ids that expire is like a Map of them', async _t => {
  // The middle is not compared. In ids of the service it is random, too.
  const uuid = fc.uuid().map(id => `${id.slice(0, 13)}-4000-8000-${id.slice(24)}`)
  const id = fc.oneof(uuid, fc.constantFrom(...crowded))
  const steps = fc.array(
    fc.oneof(
      fc.record({ id, until: fc.integer({ min: 1, max: 100 }) }),
      fc.record({ now: fc.integer({ min: 0, max: 100 }), count: fc.constantFrom(256, 512) })
    ),
    { maxLength: 300 }
  )
  fc.assert(
    fc.property(steps, fc.array(id), (steps, others) => {
      const ids = new ExpiringIds()
      const expected = new Map<string, number>()
      for (const step of steps) {
        if ('id' in step) {
          ids.add(step.id, step.until)
          expected.set(step.id, Math.max(step.until, expected.get(step.id) ?? 0))
        } else {
          ids.sweep(step.now, step.count)
          for (const [id, until] of expected) if (until <= step.now) expected.delete(id)
        }
        if (ids.size !== expected.size) return false
      }
      return [...others, ...crowded, ...expected.keys()].every(id => ids.has(id) === expected.has(id))
    })
  )
})

t.test('a hundred thousand ids', async t => {
  const all = Array.from({ length: 100_000 }, () => randomUUID() as string)
  const ids = new ExpiringIds()
  for (const [n, id] of all.entries()) ids.add(id, n + 1)
  t.equal(ids.size, all.length)
  t.equal(all.filter(id => !ids.has(id)).length, 0)
  t.equal(all.filter(() => ids.has(randomUUID())).length, 0)

  // In several turns, as after each read of the database.
  for (let turn = 0; turn < 32; turn++) ids.sweep(60_000, 8)
  t.equal(ids.size, 40_000)
  t.strictSame([all.slice(0, 60_000).filter(id => ids.has(id)).length, all.slice(60_000).filter(id => !ids.has(id)).length], [0, 0])
  ids.sweep(100_000)
  t.equal(ids.size, 0)
})

t.test('a text that is no session id is never in the set', async t => {
  const ids = new ExpiringIds()
  const known = randomUUID()
  const others = ['', 'x', known.toUpperCase(), known.replaceAll('-', ''), `${known} `, known.replace('-', '0'), 'g'.repeat(36)]
  for (const text of [known, ...others]) ids.add(text, 10)
  t.equal(ids.size, 1)
  t.strictSame(
    others.filter(text => ids.has(text)),
    []
  )
  t.ok(ids.has(known))
})
