import t from 'tap'
import type { UserRecord } from '../../../schemas/import.js'
import { GivenContents, KnownIds } from '../../../src/import/kind.js'
import { users } from '../../../src/import/kinds/users.js'
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
      event: 'imported',
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
    const expected = bad.map(
      (_, at) => `users.ndjson:${good.length + at + 1}: password_hash: must be an argon2 or bcrypt hash that is not too expensive to check`
    )
    t.strictSame(await faults({ 'users.ndjson': text }), expected)
  })
})

const profile = (id: number, account_id: number, more: object = {}) => ({ id, account_id, name: `Profile ${id}`, ...more })
const file = (...records: object[]) => ({ 'users.ndjson': lines(...records) })
const pinHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'

t.test('profiles', async t => {
  const { db, run, counts, one, all, faults, revision } = await importer(t)
  const placesOf = async (account: number) =>
    (await all('users')).filter(({ account_id }) => account_id === account).map(({ _id, place }) => [_id, place])

  t.test('come in any order, with a place in their account', async t => {
    const household = file(profile(12, 1, { max_age: 6 }), profile(11, 1, { pin_hash: pinHash }), user(1, { max_age: 16 }))
    t.strictSame(await counts(household), { users: [3, 0, 0] })
    t.strictSame(await placesOf(1), [
      [11, 2],
      [12, 1]
    ])
    const { created_at, updated_at, ...mia } = await one('users', 12)
    t.strictSame(mia, { _id: 12, account_id: 1, place: 1, name: 'Profile 12', max_age: 6, disabled_at: null, event: 'imported' })
    t.equal((await one('users', 11)).pin_hash, pinHash)
    t.equal((await one('users', 1)).max_age, 16)
    t.strictSame(await counts(household), { users: [0, 0, 3] }, 'a second run changes nothing')
    t.strictSame(await counts(household, { prune: true }), { users: [0, 0, 3] }, 'nor does pruning')
    t.strictSame(await counts(file(user(1)), { prune: true }), { users: [0, 0, 1] }, 'pruning removes no users')
    t.equal((await placesOf(1)).length, 2)
  })

  t.test('keep their PIN, and their limit unless a line names another', async t => {
    const of = (more: object) => counts(file(profile(11, 1, more), profile(12, 1, more)))
    const before = await revision('limits')
    t.strictSame(await of({}), { users: [0, 0, 2] })
    t.notOk('old_limit_until' in (await one('users', 12)))
    t.strictSame(await of({ max_age: null, pin_hash: bcryptHash }), { users: [0, 1, 1] })
    t.match(await one('users', 12), { max_age: null, old_limit_until: Date })
    t.notOk('pin_hash' in (await one('users', 12)))
    t.equal((await one('users', 11)).pin_hash, pinHash)
    t.strictSame(await counts(file(profile(12, 1, { max_age: 12, name: 'Mia' }))), { users: [0, 1, 0] })
    t.match(await one('users', 12), { max_age: 12, name: 'Mia', place: 1 })
    t.ok((await revision('limits')) > before, 'running servers notice the change')
  })

  t.test('are at most eight with the first, stored and imported together', async t => {
    const more = Array.from({ length: 6 }, (_, i) => profile(20 + i, 1))
    t.strictSame(await faults(file(...more, profile(12, 1))), ['users.ndjson:6: account_id: account 1 would have more than 8 profiles'])
    t.strictSame(await counts(file(...more.slice(0, 5))), { users: [5, 0, 0] })
    t.strictSame((await placesOf(1)).map(([, place]) => place).sort(), [1, 2, 3, 4, 5, 6, 7])
    const nine = Array.from({ length: 9 }, (_, i) => profile(31 + i, 30))
    t.strictSame(
      await faults(file(...nine, user(30))),
      [8, 9].map(line => `users.ndjson:${line}: account_id: account 30 would have more than 8 profiles`)
    )
  })

  t.test('and their accounts may be many batches apart', async t => {
    const accounts = Array.from({ length: 1200 }, (_, i) => user(1001 + i))
    const profiles = [0, 1, 2].flatMap(round => accounts.map(({ id }) => profile(id * 10 + round, id, { max_age: 6 })))
    const files = file(...profiles, ...accounts)
    t.strictSame(await counts(files), { users: [4800, 0, 0] })
    t.strictSame(await counts(files), { users: [0, 0, 4800] })
    for (const id of [1001, 1777, 2200])
      t.strictSame(await placesOf(id), [
        [id * 10, 1],
        [id * 10 + 1, 2],
        [id * 10 + 2, 3]
      ])
  })

  t.test('need an account, for good', async t => {
    await db.collection<{ _id: number }>('erasures').insertMany([{ _id: 77 }, { _id: 78 }])
    await db.collection<{ _id: number }>('users').insertOne({ _id: 78 }, { bypassDocumentValidation: true })
    const wrong = [
      profile(40, 999),
      profile(41, 41),
      profile(42, 11),
      profile(43, 77),
      profile(44, 78),
      profile(45, 40),
      profile(12, 1001),
      profile(1001, 1),
      user(11),
      // The last is the account of the others.
      profile(46, 47),
      profile(48, 47),
      profile(47, 46)
    ]
    t.strictSame(await faults(file(...wrong)), [
      'users.ndjson:7: account_id: cannot change: user 12 is a profile of account 1',
      'users.ndjson:8: account_id: cannot change: user 1001 is an account',
      'users.ndjson:9: account_id: cannot change: user 11 is a profile of account 1',
      'users.ndjson:8: account_id: account 1 would have more than 8 profiles',
      'users.ndjson:1: account_id: there is no account 999',
      'users.ndjson:2: account_id: user 41 is itself a profile',
      'users.ndjson:4: account_id: user 77 was erased',
      'users.ndjson:5: account_id: user 78 was erased',
      'users.ndjson:6: account_id: user 40 is itself a profile',
      'users.ndjson:7: account_id: user 1001 is itself a profile',
      'users.ndjson:10: account_id: user 47 is itself a profile',
      'users.ndjson:11: account_id: user 47 is itself a profile',
      'users.ndjson:12: account_id: user 46 is itself a profile'
    ])
    t.strictSame(await faults(file(profile(42, 11))), ['users.ndjson:1: account_id: user 11 is itself a profile'])
  })

  t.test('have no e-mail, subject and password, but a name', async t => {
    const own = { email: 'mia@example.com', sub: 'mia', password_hash: bcryptHash }
    const { name: _, ...nameless } = profile(50, 30)
    const wrong = [nameless, profile(51, 30, { name: ' ' }), profile(52, 30, { name: 'x'.repeat(101) }), profile(53, 30, own), user(30)]
    const name = 'name: must be a string of 1 to 100 characters, not only spaces'
    t.strictSame(await faults(file(...wrong)), [
      'users.ndjson:1: name: is required for a profile',
      `users.ndjson:2: ${name}`,
      `users.ndjson:3: ${name}`,
      ...['email', 'sub', 'password_hash'].map(field => `users.ndjson:4: ${field}: belongs to the account, not to a profile`)
    ])
    const fields = [{ account_id: 0 }, { account_id: '30' }, { account_id: null }, { max_age: 22 }, { max_age: '6' }, { pin_hash: '' }]
    t.strictSame(
      (await faults(file(...fields.map((field, i) => profile(60 + i, 30, field)), user(30)))).map(line => line.split(': ')[1]),
      ['account_id', 'account_id', 'account_id', 'max_age', 'max_age', 'pin_hash']
    )
    t.strictSame(await faults(file(user(30, { pin_hash: '4071' }))), [
      'users.ndjson:1: pin_hash: must be an argon2 or bcrypt hash that is not too expensive to check'
    ])
  })

  t.test('of an account cannot all have a limit', async t => {
    const fault = (line: number, account: number) =>
      `users.ndjson:${line}: max_age: must be null for at least one profile of account ${account}`
    const limited = (id: number) => user(id, { max_age: 16 })
    t.strictSame(await faults(file(limited(70), profile(71, 70), limited(72), profile(74, 73, { max_age: 6 }), limited(73))), [
      fault(3, 72),
      fault(4, 73)
    ])
    await run(file(user(80), profile(81, 80), limited(82), profile(83, 82)))
    t.strictSame(await faults(file(profile(84, 80, { max_age: 6 }), limited(80))), [], 'another profile without a limit is in the database')
    t.strictSame(await faults(file(profile(81, 80, { max_age: 6 }), profile(83, 82, { max_age: 6 }))), [fault(1, 80), fault(2, 82)])
    t.strictSame(await faults(file(profile(81, 80, { max_age: 6 }), user(80, { max_age: null }))), [])
    t.strictSame(await faults(file(profile(85, 999, { max_age: 6 }))), ['users.ndjson:1: account_id: there is no account 999'])
  })
})

t.test('profiles that others add during the import', async t => {
  const { db, one, run } = await importer(t)
  const known = (name: string) => new KnownIds(db, name)
  const ids = { users: known('users'), terms: known('terms'), people: known('people'), contents: known('contents') }
  const { operations, ...kind } = users({
    db,
    issuer: undefined,
    completedAt: 90,
    pruned: new Set(),
    ids,
    contents: new GivenContents(),
    isCheck: false
  })
  const records: UserRecord[] = [profile(2, 1), profile(3, 1)]
  await run(file(user(1)))
  await kind.check(
    records.map((record, i) => ({ record, place: i + 1 })),
    (_place, field, reason) => t.fail(`${field} ${reason}`)
  )
  await kind.begin?.()
  const placesIn = async () =>
    (await operations(records)).map(
      operation => 'updateOne' in operation && (operation.updateOne.update as { $setOnInsert: { place: number } }).$setOnInsert.place
    )
  t.strictSame(await placesIn(), [1, 2])

  await run(file(profile(4, 1)))
  t.equal((await one('users', 4)).place, 1)
  t.strictSame(await placesIn(), [3, 4], 'a second attempt takes free places')

  await run(file(...[5, 6, 7, 8, 9].map(id => profile(id, 1))))
  await t.rejects(operations(records), /account 1 would have more than 8 profiles/)
})
