import t from 'tap'
import { bcryptHash, importer, lines, user } from '../helper.js'

t.test('users', async t => {
  const { db, run, counts, one, faults } = await importer(t)

  t.test('of either kind', async t => {
    await run({ 'users.ndjson': lines(user(1, { email: 'Ada@Example.com' }), { id: 2, sub: 'abc', created_at: '2020-01-01T00:00:00Z' }) })
    const { created_at, updated_at, ...ada } = await one('users', 1)
    t.strictSame(ada, {
      _id: 1,
      email: 'Ada@Example.com',
      email_key: 'ada@example.com',
      name: 'User 1',
      password_hash: bcryptHash,
      disabled_at: null
    })
    const sub = await one('users', 2)
    t.hasStrict(sub, { name: '', sub: 'abc', iss: 'https://id.example.com', created_at: new Date('2020-01-01') })
    t.notOk('email_key' in sub)
  })
  t.test('keep their password and state', async t => {
    const other = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
    t.strictSame(await counts({ 'users.ndjson': lines(user(1, { email: 'ada@example.com', name: 'Ada', password_hash: other })) }), {
      users: [0, 1, 0]
    })
    t.match(await one('users', 1), { email: 'ada@example.com', name: 'Ada', password_hash: bcryptHash, disabled_at: null })
    t.strictSame(await counts({ 'users.ndjson': lines(user(1, { email: 'ada@example.com', name: 'Ada', password_hash: other })) }), {
      users: [0, 0, 1]
    })
  })
  t.test('may lack a password, and keep the one that is stored', async t => {
    const { password_hash: _, ...without } = user(1, { email: 'ada@example.com', name: 'Ada' })
    t.strictSame(await counts({ 'users.ndjson': lines(without, { ...without, id: 3, email: 'new@example.com' }) }), { users: [1, 0, 1] })
    t.equal((await one('users', 1)).password_hash, bcryptHash)
    t.notOk('password_hash' in (await one('users', 3)))
  })
  t.test('who were erased do not come back', async t => {
    await db.collection<{ _id: number }>('erasures').insertOne({ _id: 77 })
    t.strictSame(await faults({ 'users.ndjson': lines(user(76), user(77)) }), ['users.ndjson:2: id: user 77 was erased'])
  })
  t.test('keep their day of creation until a file gives another', async t => {
    const of = (created_at: string) => counts({ 'users.ndjson': lines({ id: 2, sub: 'abc', created_at }) })
    t.strictSame(await of('2020-01-01T00:00:00Z'), { users: [0, 0, 1] })
    t.strictSame(await of('2019-01-01T00:00:00Z'), { users: [0, 1, 0] })
    t.strictSame((await one('users', 2)).created_at, new Date('2019-01-01'))
  })
  t.test('lose what a later run does not give', async t => {
    await run({ 'users.ndjson': lines({ id: 1, sub: 'ada' }) })
    const ada = await one('users', 1)
    t.match(ada, { sub: 'ada', name: '', password_hash: bcryptHash })
    t.strictSame(['email' in ada, 'email_key' in ada], [false, false])
    await run({ 'users.ndjson': lines(user(1)) })
    t.equal((await one('users', 1)).sub, undefined)
  })
  t.test('are told apart', async t => {
    const clash = lines(
      user(5, { email: 'U1@example.com' }),
      user(6),
      user(7, { email: 'U6@example.com' }),
      { id: 8, sub: 'abc' },
      { id: 9, sub: 'x' },
      { id: 10, sub: 'x' },
      user(6)
    )
    t.strictSame(await faults({ 'users.ndjson': clash }), [
      'users.ndjson:1: email: is already used by user 1',
      'users.ndjson:3: email: is already used in line 2',
      'users.ndjson:4: sub: is already used by user 2',
      'users.ndjson:6: sub: is already used in line 5',
      'users.ndjson:7: id: is already used in line 2',
      'users.ndjson:7: email: is already used in line 2'
    ])
  })
  t.test('need an identity', async t => {
    t.strictSame(await faults({ 'users.ndjson': lines({ id: 5 }, { id: 6, email: 'a@b' }, { id: 7, sub: 'x' }) }, { issuer: undefined }), [
      'users.ndjson:1: email: is required for a user without sub',
      'users.ndjson:1: name: is required for a user without sub',
      'users.ndjson:2: name: is required for a user without sub',
      'users.ndjson:3: sub: needs the setting JWT_ISSUER'
    ])
  })
  t.test('need a hash that a password can be checked against', async t => {
    const [salt, output] = [Buffer.alloc(16, 1), Buffer.alloc(32, 2)].map(bytes => bytes.toString('base64').replaceAll('=', ''))
    const good = [
      bcryptHash,
      bcryptHash.replace('$2y', '$2a'),
      bcryptHash.replace('$2y', '$2b'),
      bcryptHash.replace('$04$', '$14$'),
      `$argon2id$v=19$m=1048576,t=3,p=4$${salt}$${output}`,
      `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${output}`,
      `$argon2i$m=4096,t=3,p=1$${salt}$${output}`,
      `$argon2d$v=16$m=4096,t=3,p=2$${salt}$${output}`
    ]
    const bad = [
      'secret',
      '5f4dcc3b5aa765d61d8327deb882cf99',
      '$1$abc$def',
      bcryptHash.slice(0, -1),
      `${bcryptHash}a`,
      bcryptHash.replace('$04$', '$03$'),
      bcryptHash.replace('$04$', '$31$'),
      '$argon2id$',
      `$argon2id$v=18$m=19456,t=2,p=1$${salt}$${output}`,
      `$argon2id$v=19$m=7,t=2,p=1$${salt}$${output}`,
      `$argon2id$v=19$m=999999999,t=2,p=1$${salt}$${output}`,
      `$argon2id$v=19$m=19456,t=999,p=1$${salt}$${output}`,
      // Each would delay all refusals of logins.
      bcryptHash.replace('$04$', '$15$'),
      `$argon2id$v=19$m=1048576,t=4,p=1$${salt}$${output}`,
      `$argon2id$v=19$m=19456,t=2,p=65$${salt}$${output}`,
      `$argon2id$v=19$m=19456,t=2,p=1$${salt}=$${output}`,
      `$argon2id$v=19$m=19456,t=2,p=1$AAAA$${output}`,
      `$argon2id$v=19$m=19456,t=2,p=1$${salt}`
    ]
    const text = lines(...[...good, ...bad].map((password_hash, at) => user(100 + at, { password_hash })))
    const expected = bad.map((_, at) => `users.ndjson:${good.length + at + 1}: password_hash: must be an argon2 or bcrypt hash`)
    t.strictSame(await faults({ 'users.ndjson': text }), expected)
  })
})
