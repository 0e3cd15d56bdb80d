import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { hashPassword } from '../../src/identity/passwords.js'
import { Refusals } from '../../src/identity/refusal-times.js'
import { type App, addUser, build, password } from '../helpers/app.js'
import { appUrl, databaseOf } from '../helpers/database.js'

type Answer = Awaited<ReturnType<typeof logIn>>

const logIn = (app: App, payload: unknown, from: { address?: string; forwarded?: string } = {}) =>
  app.inject({
    method: 'POST',
    url: '/login',
    headers: { 'content-type': 'application/json', ...(from.forwarded ? { 'x-forwarded-for': from.forwarded } : {}) },
    remoteAddress: from.address ?? '127.0.0.1',
    payload: JSON.stringify(payload)
  })

/** Everything that a caller sees, except for what differs between any two answers. */
const seen = ({ statusCode, body, headers: { date, 'x-request-id': id, ...headers } }: Answer) => ({ statusCode, body, headers })

const assertTooMany = (t: Test, response: Answer) => {
  t.equal(response.statusCode, 429)
  const { message, ...body } = response.json()
  t.strictSame(body, { success: false, code: 429 })
  t.type(message, 'string')
  t.match(response.headers['retry-after'], /^\d+$/)
  const seconds = Number(response.headers['retry-after'])
  t.ok(seconds >= 1 && seconds <= 900, `${seconds} s lie within the 15 minutes`)
}

const statusesOf = (answers: Answer[]) => answers.map(({ statusCode }) => statusCode)

t.test('after a costly hash of the old platform was checked, every refusal takes as long', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
  await app.data.users.add({ email: 'old@example.com', name: 'Old', password_hash: await bcrypt(password, 13) })
  for (const email of ['old@example.com', 'nobody@example.com']) {
    const began = performance.now()
    t.equal((await logIn(app, { email, password: 'wrong' })).statusCode, 401)
    t.ok(performance.now() - began > 490, email)
  }
})

t.test('the time of a refusal reveals nothing, however many wait', async t => {
  const kinds = {
    nobody: undefined,
    'a hash like ours': await hashPassword(password),
    // Cheaper than ours, so that a busy machine can check them in time.
    bcrypt: await bcrypt(password, 7),
    'another argon2': await argon2(password, { memoryCost: 9 * 1024, timeCost: 2, parallelism: 1 })
  }
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
  for (const [name, password_hash] of Object.entries(kinds))
    if (password_hash) await app.data.users.add({ email: `${name}@example.com`, name, password_hash })

  /** When the last of a crowd is refused. */
  const lastOf = async (name: string) => {
    const began = performance.now()
    const crowd = Array.from({ length: 12 }, (_, i) =>
      logIn(app, { email: `${name}@example.com`, password: 'wrong' }, { address: `192.0.2.${i}` })
    )
    t.strictSame(statusesOf(await Promise.all(crowd)), Array(12).fill(401))
    return performance.now() - began
  }
  // The best of several rounds, since other processes take the processor too.
  const best = new Map(Object.keys(kinds).map(name => [name, Number.POSITIVE_INFINITY]))
  const spread = () => Math.max(...best.values()) - Math.min(...best.values())
  for (let round = 0; round < 30 && !(spread() < 60); round++)
    for (const [name, time] of best) best.set(name, Math.min(time, await lastOf(name)))
  t.ok(spread() < 60, [...best].join(' '))
  t.ok(Math.max(...best.values()) < 3000)
})

t.test('a user whose stored password cannot be checked is refused as anybody, and named in the log', async t => {
  const log: string[] = []
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' }, log })
  const users = databaseOf(app).collection<{ _id: number }>('users')
  const valid = await hashPassword(password)
  const stored = [
    '',
    'nonsense',
    '$argon2id$',
    valid.replace(/t=\d+/, 't=999999999'),
    valid.replace(/m=\d+/, 'm=99999999'),
    '$2b$31$abc',
    // Each takes longer to check than any refusal may take.
    (await bcrypt(password, 4)).replace('$04$', '$15$'),
    valid.replace('m=19456,t=2', 'm=1048576,t=4')
  ]
  for (const [n, password_hash] of stored.entries()) {
    const { _id } = await addUser(app, `${n}@example.com`)
    await users.updateOne({ _id }, { $set: { password_hash } })
    const began = performance.now()
    t.strictSame(
      seen(await logIn(app, { email: `${n}@example.com`, password })),
      seen(await logIn(app, { email: 'nobody@example.com', password }))
    )
    t.ok(performance.now() - began > 490, `${password_hash} takes as long as any login`)
    t.ok(performance.now() - began < 2000, `${password_hash} delays nobody`)
    t.ok(log.some(line => line.includes(`user ${_id} cannot be checked`)))
  }
})

t.test('a user that other software stored without a name can sign in', async t => {
  const app = await build(t)
  const { _id, email } = await addUser(app)
  await databaseOf(app)
    .collection<{ _id: number }>('users')
    .updateOne({ _id }, { $unset: { name: '' } }, { bypassDocumentValidation: true })
  const response = await logIn(app, { email, password })
  t.equal(response.statusCode, 200)
  t.equal(response.json().data.user.name, '')
})

t.test('refusals are no 503 where the database has little time', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '0', DATABASE_TIMEOUT: '1300' } })
  // Their hashes are cheap to check, so a busy machine delays none of them past its turn. What counts is when refusals are due.
  const users = await Promise.all(Array.from({ length: 20 }, () => addUser(app)))
  const answers = users.map(({ email }, i) => logIn(app, { email, password: 'wrong' }, { address: `192.0.2.${i}` }))
  t.strictSame(statusesOf(await Promise.all(answers)), Array(20).fill(401))
})

t.test('a refusal that is late comes at the next moment, and at once when no login may take longer', async t => {
  for (const [latest, working, refused] of [
    [2000, 300, 500],
    [400, 300, 400],
    [400, 450, 450]
  ] as const) {
    const began = performance.now()
    const late = new Refusals(1, latest).unlessRefused(began, undefined, async () => void (await sleep(working)))
    await t.rejects(late, { message: 'Unauthenticated.' })
    const took = performance.now() - began
    t.ok(took > refused - 10, `${took} ms`)
  }
})

t.test('an expensive hash delays refusals for a day after it was checked', async t => {
  const refusals = new Refusals(1, 2000)
  const refuse = (hash: string | undefined, arrived: number) =>
    t.rejects(
      refusals.unlessRefused(arrived, hash, async () => undefined),
      { message: 'Unauthenticated.' }
    )
  const expensive = (await bcrypt(password, 4)).replace('$04$', '$14$')
  const now = performance.now()
  const hours = (count: number) => now - count * 3_600_000
  await refuse(expensive, hours(60))
  await refuse(undefined, hours(37))
  t.equal(refusals.highestCost, 1200, '23 hours later')
  await refuse(expensive, hours(36.5))
  await refuse(undefined, hours(35))
  t.equal(refusals.highestCost, 1200, 'a day after the first, but not after the last check')
  await refuse(await hashPassword(password), now)
  t.equal(refusals.highestCost, 15)
})

t.test('POST /login', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
  const user = await addUser(app, 'Ada@Example.com', 'Ada', hashPassword(password))
  const disabled = await addUser(app, 'disabled@example.com', 'Disabled', hashPassword(password))
  await app.data.users.disable(disabled.email)

  t.test('answers with a pair of tokens and the user', async t => {
    const response = await logIn(app, { email: 'Ada@Example.com', password })
    t.equal(response.statusCode, 200)
    t.match(response.headers['content-type'], /^application\/json/)
    const { data, ...rest } = response.json()
    const { access_token, refresh_token, ...others } = data
    t.strictSame(rest, { success: true })
    t.strictSame(others, { token_type: 'Bearer', expires_in: 3600, user: { id: user._id, email: 'Ada@Example.com', name: 'Ada' } })
    t.type(refresh_token, 'string')
    t.ok(refresh_token.length >= 32)

    const [header = '', payload = ''] = access_token.split('.')
    t.match(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'HS256' })
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    t.strictSame(Object.keys(claims).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub'], 'and no other claims about the user')
    t.match(claims, { sub: String(user._id), iss: 'viewer', aud: 'viewer', sid: String })
    t.equal(claims.exp - claims.iat, 3600)
    t.ok(Math.abs(claims.iat - Date.now() / 1000) < 60)
  })

  t.test('gives every login a session of its own', async t => {
    const answers = await Promise.all([1, 2].map(() => logIn(app, { email: user.email, password })))
    const [first, second] = answers.map(answer => answer.json().data)
    t.not(first.refresh_token, second.refresh_token)
    t.not(first.access_token, second.access_token)
  })

  for (const email of ['aDA@example.COM', 'ADA@EXAMPLE.COM', 'ada@example.com']) {
    t.test(`takes ${email} for the same user`, async t => {
      const response = await logIn(app, { email, password })
      t.equal(response.statusCode, 200)
      t.strictSame(response.json().data.user, { id: user._id, email: 'Ada@Example.com', name: 'Ada' })
    })
  }

  t.test('has settings for the life and the names of its tokens', async t => {
    const other = await build(t, { settings: { ACCESS_TOKEN_TTL: '90', JWT_ISSUER: 'us', JWT_AUDIENCE: 'apps' } })
    await addUser(other, 'bo@example.com')
    const { data } = (await logIn(other, { email: 'bo@example.com', password })).json()
    t.equal(data.expires_in, 90)
    const claims = JSON.parse(Buffer.from(data.access_token.split('.')[1], 'base64url').toString())
    t.match(claims, { iss: 'us', aud: 'apps' })
    t.equal(claims.exp - claims.iat, 90)
  })

  t.test('ignores what it does not know', async t => {
    const response = await logIn(app, { email: user.email, password, remember: true, user: { id: 7 } })
    t.equal(response.statusCode, 200)
    t.equal(response.json().data.user.id, user._id)
  })

  t.test('refuses a wrong password, an unknown e-mail and a disabled user', async t => {
    const assertAllTooMany = {
      'a wrong password': { email: user.email, password: 'wrong' },
      'an unknown e-mail': { email: 'nobody@example.com', password },
      'a disabled user': { email: disabled.email, password },
      'a disabled user with a wrong password': { email: disabled.email, password: 'wrong' }
    }

    t.test('with the same bytes and headers', async t => {
      const answers = await Promise.all(Object.values(assertAllTooMany).map(payload => logIn(app, payload)))
      const [first] = answers
      t.equal(first?.statusCode, 401)
      t.equal(first?.body, JSON.stringify({ success: false, message: 'Unauthenticated.' }))
      for (const answer of answers) t.strictSame(seen(answer), seen(first as Answer))
    })

    t.test('in the same time', async t => {
      const best = new Map<string, number>()
      const spread = () => Math.max(...best.values()) - Math.min(...best.values())
      // On a busy machine the best times take more rounds to be seen.
      for (let round = 0; round < 3 || (spread() >= 25 && round < 20); round++) {
        for (const [kind, payload] of Object.entries(assertAllTooMany)) {
          const start = performance.now()
          await logIn(app, payload)
          best.set(kind, Math.min(best.get(kind) ?? Number.POSITIVE_INFINITY, performance.now() - start))
        }
      }
      t.ok(spread() < 25, `the best times are close together: ${[...best].flat().join(' ')}`)
    })
  })

  t.test('compares the whole password, as it is', async t => {
    const tried = [
      '',
      ' ',
      `${password} `,
      ` ${password}`,
      password.toUpperCase(),
      password.slice(0, -1),
      `${password}\u0000`,
      'p'.repeat(50_000),
      '\ud800'
    ]
    const answers = await Promise.all(tried.slice(1).map(wrong => logIn(app, { email: user.email, password: wrong })))
    t.strictSame(
      statusesOf(answers),
      tried.slice(1).map(() => 401)
    )
    t.ok([400, 401].includes((await logIn(app, { email: user.email, password: '' })).statusCode))
  })

  t.test('knows no e-mail of odd characters', async t => {
    const emails = ['\u0000', 'ada@example.com\u0000', '\ud800', '$where', '.*', 'ada@example.com ']
    const statuses = statusesOf(await Promise.all(emails.map(email => logIn(app, { email, password }))))
    t.ok(
      statuses.every(status => status === 400 || status === 401),
      statuses.join(' ')
    )
  })

  t.test('turns a hash of the old platform into its own', async t => {
    const hash = (await bcrypt(password, 4)).replace(/^\$2[ab]\$/, '$2y$')
    const old = await app.data.users.add({ email: 'old@example.com', name: 'Old', password_hash: hash })
    t.equal((await logIn(app, { email: old.email, password: 'wrong' })).statusCode, 401)
    t.equal(
      (await logIn(app, { email: old.email, password: `${password}\u0000` })).statusCode,
      401,
      'a zero byte does not end the password'
    )
    t.equal((await app.data.users.byId(old._id))?.password_hash, hash, 'a failed login leaves the hash unchanged')
    t.equal((await logIn(app, { email: old.email, password })).statusCode, 200)
    t.match((await app.data.users.byId(old._id))?.password_hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    t.equal((await logIn(app, { email: old.email, password })).statusCode, 200)
    t.equal((await logIn(app, { email: old.email, password: 'wrong' })).statusCode, 401)
  })

  t.test('bcrypt reads 72 bytes and repeats what a zero byte ends', async t => {
    const [long, umlauts] = ['p'.repeat(72), 'ü'.repeat(36)]
    const old = async (right: string) =>
      app.data.users.add({ email: `${randomUUID()}@example.com`, name: 'Old', password_hash: await bcrypt(right, 4) })
    const hashOf = async (id: number) => (await app.data.users.byId(id))?.password_hash

    for (const right of [`${long}1`, `${long} and more`, `${umlauts}ü`, `${umlauts}1`]) {
      const { _id, email, password_hash } = await old(right)
      for (const typed of [`${right}typo`, right, `${right.slice(0, -1)}?`, right]) {
        t.equal((await logIn(app, { email, password: typed })).statusCode, 200, 'a password is correct if the part that bcrypt reads is')
        t.equal(await hashOf(_id), password_hash, 'the hash stays, because the rest of the password is unknown')
      }
    }

    for (const [right, typed] of [
      [long, `${long}typo`],
      [umlauts, `${umlauts}ü`],
      ['short', 'short\u0000short'],
      ['short', 'short\u0000short\u0000short']
    ] as const) {
      const { _id, email, password_hash } = await old(right)
      t.equal((await logIn(app, { email, password: typed })).statusCode, 200)
      t.equal(await hashOf(_id), password_hash, 'a password that was only partly checked does not replace the hash')
      t.equal((await logIn(app, { email, password: right })).statusCode, 200, 'the owner signs in')
      t.match(await hashOf(_id), /^\$argon2id\$/, 'bcrypt read the whole password, so the hash is replaced')
      t.equal((await logIn(app, { email, password: right })).statusCode, 200, 'and the owner signs in again')
      t.equal((await logIn(app, { email, password: typed })).statusCode, 401)
    }
  })

  t.test('refuses what is no credentials', async t => {
    const email = 'ada@example.com'
    const both = ['email', 'password']
    const bodies: [string, unknown, string[]][] = [
      ['no e-mail', { password }, ['email']],
      ['no password', { email }, ['password']],
      ['an empty object', {}, both],
      ['other fields', { mail: email, pass: password }, both],
      ['a password that is a number', { email, password: 5 }, ['password']],
      ['a password that is null', { email, password: null }, ['password']],
      ['a password that is a boolean', { email, password: true }, ['password']],
      ['a password in a list', { email, password: [password] }, ['password']],
      ['a password that is an object', { email, password: { $ne: null } }, ['password']],
      ['an e-mail that is a number', { email: 5, password }, ['email']],
      ['an e-mail that is null', { email: null, password }, ['email']],
      ['an e-mail that is a boolean', { email: false, password }, ['email']],
      ['an e-mail in a list', { email: [email], password }, ['email']],
      ['an e-mail that is an object', { email: { $gt: '' }, password }, ['email']],
      ['both wrong', { email: [], password: 0 }, both]
    ]
    for (const [what, payload, fields] of bodies) {
      t.test(what, async t => {
        const response = await logIn(app, payload)
        t.equal(response.statusCode, 400)
        const { message, errors, ...rest } = response.json()
        t.strictSame(rest, { success: false, code: 400 })
        t.strictSame(errors.map(({ field }: { field: string }) => field).sort(), fields)
        for (const error of errors) {
          t.strictSame(Object.keys(error).sort(), ['field', 'message'])
          t.match(error.message, /\w+ \w+/, `the message names the rule: ${error.message}`)
        }
        t.ok(
          fields.some(field => message.includes(field)),
          `the message names the field: ${message}`
        )
        t.notMatch(response.body, password, 'the response does not repeat the password')
      })
    }
  })

  t.test('refuses a body that is no object', async t => {
    for (const payload of ['[]', '[{"email":"ada@example.com","password":"x"}]', '"text"', '5', 'true', 'null', '', undefined]) {
      t.test(payload ?? 'absent', async t => {
        const response = await app.inject({ method: 'POST', url: '/login', ...(payload === undefined ? {} : { payload }) })
        t.equal(response.statusCode, 400)
        const { message, errors, ...rest } = response.json()
        t.strictSame(rest, { success: false, code: 400 })
        t.match(message, /\w+ \w+/)
        t.ok(Array.isArray(errors) && errors.length > 0)
        for (const error of errors) t.match(error, { field: /./, message: /./ })
      })
    }
  })
})

t.test('the limit of failed logins', async t => {
  const right = (email: string) => ({ email, password })
  const wrong = (email: string) => ({ email, password: 'wrong' })
  // Refusals wait, so several of these go at once; more of them would fill the queue of the hashes.
  t.jobs = 3
  const test = (name: string, body: (t: Test) => Promise<void>) => t.test(name, { buffered: true }, body)

  test('counts for one e-mail from one address', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '3' } })
    const [ada, bo] = [await addUser(app, 'ada@example.com'), await addUser(app, 'bo@example.com')]

    for (let i = 0; i < 3; i++) t.equal((await logIn(app, wrong(ada.email))).statusCode, 401)
    assertTooMany(t, await logIn(app, wrong(ada.email)))
    assertTooMany(t, await logIn(app, right(ada.email)))
    assertTooMany(t, await logIn(app, right(ada.email.toUpperCase())))
    t.strictSame(
      (await logIn(app, right(ada.email))).json(),
      (await logIn(app, wrong(ada.email))).json(),
      'the response reveals nothing about the password'
    )
    t.equal((await logIn(app, right(ada.email), { address: '192.0.2.7' })).statusCode, 200, 'other addresses are not limited')
    t.equal((await logIn(app, right(bo.email))).statusCode, 200, 'other users are not limited')
  })

  test('is the same for an e-mail that nobody has, and for a disabled user', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
    await addUser(app, 'gone@example.com')
    await app.data.users.disable('gone@example.com')
    for (const email of ['nobody@example.com', 'gone@example.com']) {
      t.equal((await logIn(app, right(email))).statusCode, 401)
      assertTooMany(t, await logIn(app, right(email)))
    }
  })

  test('is 10 unless set', async t => {
    const app = await build(t)
    const { email } = await addUser(app)
    const first = await Promise.all(Array.from({ length: 5 }, () => logIn(app, wrong(email))))
    const second = await Promise.all(Array.from({ length: 5 }, () => logIn(app, wrong(email))))
    t.strictSame(
      statusesOf([...first, ...second]),
      Array.from({ length: 10 }, () => 401)
    )
    assertTooMany(t, await logIn(app, right(email)))
  })

  test('counts an attempt before its password is hashed', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '3' } })
    const { email } = await addUser(app)
    const statuses = statusesOf(await Promise.all(Array.from({ length: 12 }, () => logIn(app, wrong(email)))))
    t.strictSame(statuses.sort(), [401, 401, 401, ...Array.from({ length: 9 }, () => 429)])
  })

  test('a success gives its attempt back', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '2' } })
    const { email } = await addUser(app)
    for (let i = 0; i < 5; i++) t.equal((await logIn(app, right(email))).statusCode, 200)
    t.equal((await logIn(app, wrong(email))).statusCode, 401)
    for (let i = 0; i < 5; i++) t.equal((await logIn(app, right(email))).statusCode, 200)
    t.equal((await logIn(app, wrong(email))).statusCode, 401)
    assertTooMany(t, await logIn(app, right(email)))
  })

  test('successes of one address never lock it', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
    const users = await Promise.all(Array.from({ length: 12 }, () => addUser(app)))
    for (const { email } of users) t.equal((await logIn(app, right(email))).statusCode, 200)
  })

  test('an invalid body counts as no attempt', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
    const { email } = await addUser(app)
    for (let i = 0; i < 3; i++) t.equal((await logIn(app, { email, password: 5 })).statusCode, 400)
    t.equal((await logIn(app, right(email))).statusCode, 200)
  })

  test('is ten times that for one e-mail from many addresses', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '1', TRUST_PROXY: '1' } })
    const { email } = await addUser(app)
    const attempts = []
    for (let i = 1; i <= 10; i++) attempts.push(await logIn(app, wrong(email), { forwarded: `198.51.100.${i}` }))
    t.strictSame(statusesOf(attempts), Array(10).fill(401))
    assertTooMany(t, await logIn(app, right(email), { forwarded: '198.51.100.200' }))
    t.equal((await logIn(app, right((await addUser(app)).email), { forwarded: '198.51.100.200' })).statusCode, 200)
  })

  test('is ten times that for one address and many e-mails', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
    const { email } = await addUser(app)
    const attempts = []
    for (let i = 1; i <= 10; i++) attempts.push(await logIn(app, wrong(`guess-${i}@example.com`)))
    t.strictSame(statusesOf(attempts), Array(10).fill(401))
    assertTooMany(t, await logIn(app, right(email)))
    t.equal((await logIn(app, right(email), { address: '192.0.2.7' })).statusCode, 200)
  })

  test('cannot be evaded by a forwarded address from an untrusted proxy', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
    const { email } = await addUser(app)
    t.equal((await logIn(app, wrong(email), { forwarded: '198.51.100.1' })).statusCode, 401)
    assertTooMany(t, await logIn(app, wrong(email), { forwarded: '198.51.100.2' }))

    const behind = await build(t, { settings: { LOGIN_LIMIT: '1', TRUST_PROXY: '1' } })
    const other = await addUser(behind)
    t.equal((await logIn(behind, wrong(other.email), { forwarded: '203.0.113.1, 198.51.100.1' })).statusCode, 401)
    assertTooMany(t, await logIn(behind, wrong(other.email), { forwarded: '203.0.113.2, 198.51.100.1' }))
  })

  test('refused attempts lock nobody else out', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
    const [victim, neighbour] = [await addUser(app), await addUser(app)]
    const attack = []
    for (let i = 0; i < 25; i++) attack.push(await logIn(app, wrong(victim.email), { address: '192.0.2.66' }))
    t.strictSame(statusesOf(attack), [401, ...Array(24).fill(429)])
    t.equal((await logIn(app, right(victim.email))).statusCode, 200, 'the victim signs in from another address')
    t.equal(
      (await logIn(app, right(neighbour.email), { address: '192.0.2.66' })).statusCode,
      200,
      'a neighbour signs in from the same address'
    )
  })

  test('a crowd of refused attempts locks nobody else out, not even while it lasts', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
    const [victim, neighbour] = [await addUser(app), await addUser(app)]
    t.equal((await logIn(app, wrong(victim.email), { address: '192.0.2.66' })).statusCode, 401)
    const crowd = Promise.all(Array.from({ length: 100 }, () => logIn(app, wrong(victim.email), { address: '192.0.2.66' })))
    const others = await Promise.all([
      ...[1, 2, 3].map(i => logIn(app, right(victim.email), { address: `203.0.113.${i}` })),
      logIn(app, right(neighbour.email), { address: '192.0.2.66' })
    ])
    t.strictSame(statusesOf(others), [200, 200, 200, 200])
    t.strictSame(statusesOf(await crowd), Array(100).fill(429))
  })

  test('past a limit an attempt writes nothing', async t => {
    const url = await appUrl(t)
    const app = await build(t, { url, settings: { LOGIN_LIMIT: '1', TRUST_PROXY: '1' } })
    const client = await MongoClient.connect(url)
    t.teardown(() => client.close())
    const stored = () => client.db().collection('login_attempts').find().sort({ _id: 1 }).toArray()
    const refused = async (attempts: (i: number) => ReturnType<typeof logIn>) => {
      const before = await stored()
      for (let i = 0; i < 5; i++) assertTooMany(t, await attempts(i))
      t.strictSame(await stored(), before)
    }

    for (let i = 0; i < 10; i++) t.equal((await logIn(app, wrong(`${i}@example.com`), { forwarded: '192.0.2.1' })).statusCode, 401)
    await refused(i => logIn(app, wrong(`other-${i}@example.com`), { forwarded: '192.0.2.1' }))
    for (let i = 0; i < 10; i++) t.equal((await logIn(app, wrong('a@example.com'), { forwarded: `198.51.100.${i}` })).statusCode, 401)
    await refused(i => logIn(app, wrong('a@example.com'), { forwarded: `203.0.113.${i}` }))
    await refused(() => logIn(app, wrong('a@example.com'), { forwarded: '198.51.100.1' }))
  })

  test('attempts that race past the first look are refused by the counts all the same', async t => {
    const { data } = await build(t, { settings: { LOGIN_LIMIT: '1' } })
    const { begin } = data.loginAttempts
    for (let i = 0; i < 10; i++) t.equal((await begin(`${i}@example.com`, '192.0.2.1')).retryAfter, undefined)
    for (let i = 0; i < 2; i++) t.ok(Number((await begin('a@example.com', '192.0.2.1')).retryAfter) > 800)
    t.equal(await data.loginAttempts.retryAfter('a@example.com', '192.0.2.2'), undefined, 'attempts past a limit leave no trace')
    t.equal((await begin('a@example.com', '192.0.2.2')).retryAfter, undefined)
  })

  test('LOGIN_LIMIT=0 is off', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
    const { email } = await addUser(app)
    for (let i = 0; i < 4; i++) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => logIn(app, wrong(email))))
      t.strictSame(statusesOf(answers), [401, 401, 401, 401])
    }
    t.equal((await logIn(app, right(email))).statusCode, 200)
  })

  test('is shared by all processes of one database, and ends after 15 minutes', async t => {
    const url = await appUrl(t)
    const [one, two] = [await build(t, { url, settings: { LOGIN_LIMIT: '2' } }), await build(t, { url, settings: { LOGIN_LIMIT: '2' } })]
    const { email } = await addUser(one)
    t.equal((await logIn(one, wrong(email))).statusCode, 401)
    t.equal((await logIn(two, wrong(email))).statusCode, 401)
    assertTooMany(t, await logIn(one, right(email)))
    assertTooMany(t, await logIn(two, right(email)))

    const client = await MongoClient.connect(url)
    t.teardown(() => client.close())
    const attempts = client.db().collection('login_attempts')
    const stored = await attempts.find().toArray()
    t.ok(stored.length > 0)
    t.notMatch(JSON.stringify(stored), email, 'the e-mail is not stored as it was typed')
    const ends = stored.map(({ expires_at }) => (expires_at.getTime() - Date.now()) / 60_000)
    t.ok(
      ends.every(minutes => minutes > 13 && minutes <= 15),
      `ends in ${ends.join(', ')} minutes`
    )
    await attempts.updateMany({}, { $set: { expires_at: new Date(Date.now() - 1000) } })
    t.equal((await logIn(two, wrong(email))).statusCode, 401)
    t.equal((await logIn(one, wrong(email))).statusCode, 401)
    assertTooMany(t, await logIn(two, right(email)))
  })
})
